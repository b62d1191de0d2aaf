extension RESTService.Configuration {
  /// This configuration with what the database says of it: names without `pgrst.` and their values.
  func applying(_ settings: [Routine.Setting]) -> RESTService.Configuration {
    var changed = self
    for setting in settings {
      let list = setting.value.split(separator: ",").map { String($0.trimmingSpaces) }.filter { !$0.isEmpty }
      let isOn = ["true", "on", "yes", "1"].contains(setting.value.lowercased())
      switch setting.name {
      case "db_schemas" where !list.isEmpty: changed.schemas = list
      case "db_extra_search_path": changed.extraSearchPath = list
      case "db_max_rows": changed.maximumRows = Int(setting.value)
      case "db_aggregates_enabled": changed.allowsAggregates = isOn
      case "db_plan_enabled": changed.allowsPlans = isOn
      case "db_pre_request": changed.preRequest = setting.value.isEmpty ? nil : setting.value
      case "openapi_mode":
        switch setting.value {
        case "ignore-privileges": changed.description = .ignoringPrivileges
        case "disabled": changed.description = .disabled
        default: changed.description = .followingPrivileges
        }
      default: break
      }
    }
    return changed
  }
}
