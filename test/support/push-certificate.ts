/** Of `push.test`, the hosts below it and 127.0.0.1: a certificate that only a test trusts, valid until 2124. */
export const certificate = `
-----BEGIN CERTIFICATE-----
MIIBdTCCARqgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlwdXNoLnRl
c3QwIBcNMjQwMTAxMDAwMDAwWhgPMjEyNDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CXB1c2gudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDV9rz6SA7HY6rB8
l0Ray6tXyUFJQ2KnYS1pXZHamU0QvdMhux4lH5Pzgyc+rKBaLfKNZsLhqr44ylOZ
mkDicumjWzBZMCcGA1UdEQQgMB6CCXB1c2gudGVzdIILKi5wdXNoLnRlc3SHBH8A
AAEwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUS0sO0mMBQmAkWxkBGi2ZRIgt
AtgwCgYIKoZIzj0EAwIDSQAwRgIhANT8vgRtBrD6OtG1yovo+zHtRqyfL17XCjDy
l7Hs0DM7AiEAkGbvjJJJNXAIqevw1YHindF7paDjxrm03TuyzMODx2o=
-----END CERTIFICATE-----
`

/** Its key, which opens nothing else. */
export const certificateKey = `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0el2X54ZkJuW18tM
q2c+7frAoZ43XHF4x8RxnlT7IP+hRANCAAQ1fa8+kgOx2OqwfJdEWsurV8lBSUNi
p2EtaV2R2plNEL3TIbseJR+T84MnPqygWi3yjWbC4aq+OMpTmZpA4nLp
-----END PRIVATE KEY-----
`
