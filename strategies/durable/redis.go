package durable

import (
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
)

func killSafe(strategies.Params) strategies.Durability { return strategies.KillSafe }

// The client connects on first use and reconnects after a lost connection.
func redisOptions() (*redis.Options, error) {
	o, err := redis.ParseURL(registry.Redis.Address())
	if err != nil {
		return nil, err
	}
	logging.Disable() // the log would contain the address
	o.Protocol, o.DisableIdentity = 2, true
	o.MaintNotificationsConfig = &maintnotifications.Config{
		Mode: maintnotifications.ModeDisabled}
	// A retry by the client could put a message twice.
	o.ReadTimeout, o.WriteTimeout, o.DialTimeout = requestTimeout, requestTimeout, requestTimeout
	o.MaxRetries, o.DialerRetries = -1, 1
	return o, nil
}
