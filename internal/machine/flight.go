package machine

import "time"

// MostAge is the longest trace that can be requested.
const MostAge = time.Minute
