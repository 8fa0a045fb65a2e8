package targets

import (
	"context"
	"fmt"
	"strconv"
)

// Tenanted is what a Target implements that tells its tenants apart. Its Call is one of tenant 0.
type Tenanted interface {
	Target
	// CallOf is Call for a task of that tenant.
	CallOf(ctx context.Context, tenant int32, seq uint64, work Work) error
	// QuotaOf is what is left to the tenant. It is safe for concurrent use and admits nothing.
	QuotaOf(tenant int32) Quota
}

// TenantField is the header field in which a request to Handler names its tenant, and the metadata
// of a call over gRPC: a whole number, as tasks have it. A request without one is of tenant 0.
const TenantField = "X-Tenant-Id"

// ForTenant is t as that tenant of it meets it, by what is in TenantField: t itself where it is not
// Tenanted. The error is about what names no tenant.
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

// ofTenant is a target as one tenant meets it.
type ofTenant struct {
	Tenanted
	tenant int32
}

// Call implements Target.
func (t *ofTenant) Call(ctx context.Context, seq uint64, work Work) error {
	return t.CallOf(ctx, t.tenant, seq, work)
}

// Quota implements Metered.
func (t *ofTenant) Quota() Quota { return t.QuotaOf(t.tenant) }
