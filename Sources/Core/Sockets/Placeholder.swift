// The WebSocket codec and the reconnecting socket come here.
