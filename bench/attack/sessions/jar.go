package sessions

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
)

// A Jar has the cookies of one session, in bounded memory. It is not safe for concurrent use.
type Jar struct {
	jar    *cookiejar.Jar
	values map[string]string // by host and name, for masking
	err    error
}

// Limits of cookies, as in browsers. Exceeding them fails the step.
const (
	MaxCookies = 50
	MaxCookie  = 4 << 10 // bytes of name and value
)

// NewJar returns an empty Jar.
func NewJar() *Jar {
	jar, err := cookiejar.New(nil)
	if err != nil {
		panic("sessions: a jar without options: " + err.Error()) // unreachable: New returns no error
	}
	return &Jar{jar: jar, values: map[string]string{}}
}

// SetCookies implements http.CookieJar.
func (j *Jar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	for _, c := range cookies {
		key := u.Host + " " + c.Path + " " + c.Name
		_, known := j.values[key]
		switch {
		case len(c.Name)+len(c.Value) > MaxCookie:
			j.err = fmt.Errorf("a cookie is longer than %d KiB", MaxCookie>>10)
		case !known && len(j.values) >= MaxCookies:
			j.err = fmt.Errorf("there are more than %d cookies", MaxCookies)
		default:
			j.values[key] = c.Value
			j.jar.SetCookies(u, []*http.Cookie{c})
		}
	}
}

// Cookies implements http.CookieJar.
func (j *Jar) Cookies(u *url.URL) []*http.Cookie { return j.jar.Cookies(u) }

// Err returns why a cookie was rejected since the last call.
func (j *Jar) Err() error {
	err := j.err
	j.err = nil
	return err
}

// Values returns the values of all cookies so far, for masking.
func (j *Jar) Values() (all []string) {
	for _, v := range j.values {
		all = append(all, v)
	}
	return all
}
