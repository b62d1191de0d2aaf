/// What a proven second factor gives: a session that is assured by it.
public typealias AuthMFAVerifyResponse = Session
