package grpcdyn

// SkipTo sets the next stream number of connection 0.
func (c *Client) SkipTo(stream uint32) {
	l := c.links[0]
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = stream
}
