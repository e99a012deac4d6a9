package rig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Caller sends records over its own connections, and gives up after a while.
type Caller struct{ client *http.Client }

// NewCaller returns a caller that waits so long for an answer.
func NewCaller(patience time.Duration) Caller {
	return Caller{&http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

// Answer is the answer to a record. Status 0 means that there was none, and then Body says why.
type Answer struct {
	Status     int
	Body       string
	Result     string // created, updated or unchanged
	RetryAfter string
}

// Post sends one record. An empty request id has the service make one.
func (c Caller) Post(base, slug, key, requestID, body string) Answer {
	request, err := http.NewRequest(http.MethodPost, base+"/api/ingest/"+slug, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	if requestID != "" {
		request.Header.Set("X-Request-Id", requestID)
	}
	response, err := c.client.Do(request)
	if err != nil {
		return Answer{Body: err.Error()}
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(response.Body)
	return Answer{Status: response.StatusCode, Body: string(text), Result: response.Header.Get("Ingest-Result"),
		RetryAfter: response.Header.Get("Retry-After")}
}

// Get returns the status and the text of an address; 0 means no answer.
func (c Caller) Get(url string) (status int, text string) {
	response, err := c.client.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(body)
}

const cookieName = "__Host-quayside"

// Person is somebody who has signed in, and may call any process.
type Person struct {
	Workspace string
	Cookie    string
	client    *http.Client
}

// SignIn signs a member in.
func SignIn(base, email, password string) (*Person, error) {
	p := &Person{client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{}}}
	status, text, err := p.Do(base, http.MethodPost, "session", map[string]string{"email": email, "password": password})
	if err != nil {
		return nil, err
	}
	if status != http.StatusOK {
		return nil, fmt.Errorf("sign in: %d %s", status, text)
	}
	var who struct {
		Tenants []struct {
			Workspaces []struct{ ID string }
		}
	}
	if err := json.Unmarshal([]byte(text), &who); err != nil {
		return nil, err
	}
	p.Workspace = who.Tenants[0].Workspaces[0].ID
	return p, nil
}

// Do calls the app API of a process.
func (p *Person) Do(base, method, path string, body any) (status int, text string, err error) {
	var content bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&content).Encode(body); err != nil {
			return 0, "", err
		}
	}
	request, err := http.NewRequest(method, base+"/api/app/"+path, &content)
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Cookie", cookieName+"="+p.Cookie)
	response, err := p.client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	for _, cookie := range response.Cookies() {
		if cookie.Name == cookieName {
			p.Cookie = cookie.Value
		}
	}
	answered, err := io.ReadAll(response.Body)
	return response.StatusCode, string(answered), err
}
