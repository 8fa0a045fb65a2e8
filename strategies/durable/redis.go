package durable

import (
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/poolbench/poolbench/internal/registry"
	"github.com/poolbench/poolbench/strategies"
)

// killSafe is the Durability of brokers whose fsync is a setting of the server's owner.
func killSafe(strategies.Params) strategies.Durability { return strategies.KillSafe }

// redisOptions are those of a client of the server that is named. It connects when it is used, and
// again when a connection is lost.
func redisOptions() (*redis.Options, error) {
	o, err := redis.ParseURL(registry.Redis.Address())
	if err != nil {
		return nil, err
	}
	logging.Disable() // it would tell the address
	o.Protocol, o.DisableIdentity = 2, true
	o.MaintNotificationsConfig = &maintnotifications.Config{
		Mode: maintnotifications.ModeDisabled}
	// What is not answered in this time is an error. Nothing is tried again behind the back: a
	// message would be put twice.
	o.ReadTimeout, o.WriteTimeout, o.DialTimeout = answering, answering, answering
	o.MaxRetries, o.DialerRetries = -1, 1
	return o, nil
}
