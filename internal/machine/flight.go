package machine

import "time"

const MostAge = time.Minute
