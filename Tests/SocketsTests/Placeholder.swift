// Tests of the WebSocket codec and the reconnecting socket come here.
