package machine

import "time"

const MaxAge = time.Minute
