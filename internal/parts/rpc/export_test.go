package rpc

// SkipTo has the next call of connection 0 be that stream.
func (c *Client) SkipTo(stream uint32) {
	l := c.slots[0].link
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = stream
}
