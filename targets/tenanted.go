package targets

import (
	"context"
	"fmt"
	"strconv"
)

// Tenanted is implemented by Targets that distinguish tenants. Call is a call of tenant 0.
type Tenanted interface {
	Target
	CallOf(ctx context.Context, tenant int32, seq uint64, work Work) error
	// QuotaOf returns the tenant's remaining quota. It is safe for concurrent use.
	QuotaOf(tenant int32) Quota
}

// TenantField is the HTTP header field, or the gRPC metadata, with the tenant of a request to
// Handler, a whole number. Without it the tenant is 0.
const TenantField = "X-Tenant-Id"

// ForTenant returns t for the tenant in field, the value of TenantField, or t itself if t is not
// Tenanted.
func ForTenant(t Target, field string) (Target, error) {
	tenanted, is := t.(Tenanted)
	if !is {
		return t, nil
	}
	tenant := int64(0)
	if field != "" {
		var err error
		if tenant, err = strconv.ParseInt(field, 10, 32); err != nil {
			return nil, fmt.Errorf("%s: want a whole number such as 3, got %.40q", TenantField,
				field)
		}
	}
	return &ofTenant{tenanted, int32(tenant)}, nil
}

type ofTenant struct {
	Tenanted
	tenant int32
}

func (t *ofTenant) Call(ctx context.Context, seq uint64, work Work) error {
	return t.CallOf(ctx, t.tenant, seq, work)
}

func (t *ofTenant) Quota() Quota { return t.QuotaOf(t.tenant) }
