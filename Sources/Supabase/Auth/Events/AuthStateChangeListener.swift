/// Is told what happens to the session.
public typealias AuthStateChangeListener = @Sendable (_ event: AuthChangeEvent, _ session: Session?) -> Void
