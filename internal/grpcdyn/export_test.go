package grpcdyn

// SkipTo has the next call of connection 0 be that stream.
func (c *Client) SkipTo(stream uint32) {
	l := c.links[0]
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = stream
}
