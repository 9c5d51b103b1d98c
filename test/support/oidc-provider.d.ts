// The package has no types of its own: these are of what the tests use.
declare module 'oidc-provider' {
  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: object, response: object) => void
    interactionFinished(request: object, response: object, result: object): Promise<void>
  }
}
