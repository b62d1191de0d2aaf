internal import SwiftwaterHTTP

/// Renewing the credential.
extension CredentialCore {
  typealias Step = Machine.Step

  /// Goes through the steps of a flight until it stops.
  func fly(_ flight: Int) async {
    var step = decide { machine, _, _ in machine.nextStep(of: flight) }
    while true {
      switch step {
      case .stop: return
      case .read:
        let content = await read()
        step = decide { machine, moment, actions in machine.loaded(flight, content, at: moment, &actions) }
      case .attempt: step = await attempt(flight)
      case .wait(let delay):
        do { try await clock.sleep(for: delay) } catch { return }
        step = decide { machine, _, _ in machine.nextStep(of: flight) }
      }
    }
  }

  private func attempt(_ flight: Int) async -> Step {
    do {
      return try await turns.withLock {
        try await store.withExclusiveAccess { await spend(flight) }
      }
    } catch {
      return failed(flight, error, retryAfter: nil)
    }
  }

  /// Renews the credential while nobody else can do so.
  private func spend(_ flight: Int) async -> Step {
    let content = await read()
    let credential: Credential
    switch decide({ machine, moment, actions in machine.checked(flight, content, at: moment, &actions) }) {
    case .step(let step): return step
    case .spend(let held): credential = held
    }
    do {
      return await keep(try await scheme.refresh(credential), of: flight)
    } catch {
      switch scheme.classify(error) {
      case .refused: return await drop(because: error, of: flight)
      case .transient(let retryAfter): return failed(flight, error, retryAfter: retryAfter)
      }
    }
  }

  /// Stores what a refresh has brought, and lets it be in force.
  private func keep(_ new: Credential, of flight: Int) async -> Step {
    let validity = scheme.validity(new)
    return await writing {
      guard let expected = look({ $0.expectation(of: flight) }) else { return .stop }
      var bytes: [UInt8]?
      let outcome: WriteOutcome<Credential>
      do throws(CredentialError) {
        bytes = try encode(new)
        outcome = await write(bytes, expecting: expected)
      } catch {
        outcome = .failed(error)
      }
      return decide { machine, moment, actions in
        machine.refreshed(flight, new, validity, bytes: bytes, outcome, at: moment, &actions)
      }
    }
  }

  /// Removes what the server has refused for good.
  private func drop(because cause: any Error, of flight: Int) async -> Step {
    await writing {
      guard let expected = look({ $0.expectation(of: flight) }) else { return .stop }
      let outcome = await write(nil, expecting: expected)
      return decide { machine, moment, actions in machine.refused(flight, cause, outcome, at: moment, &actions) }
    }
  }

  private func failed(_ flight: Int, _ error: any Error, retryAfter: Duration?) -> Step {
    decide { machine, moment, actions in
      machine.failed(flight, .refreshFailed(error), retryAfter: retryAfter, at: moment, &actions)
    }
  }
}
