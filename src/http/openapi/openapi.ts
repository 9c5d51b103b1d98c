import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { Failure } from '../schemas/envelope.ts'
import { documentSender } from '../server/document.ts'
import { showExamples } from './examples.ts'
import { documentedSchema, moveNamedSchemas } from './schema-names.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The multipart body of a route, for the API document: the route checks the parts as they come. */
    multipartBody?: object
  }
}

/** The documentation page needs nothing from other servers; it does use inline styles. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

/**
 * Collects the OpenAPI document from the routes' schemas and docs/examples.json, and serves it as a page at `/docs` and
 * at `/docs/json`. Schemas that have a name are components of it.
 */
export async function describeApi(
  app: FastifyInstance,
  nameSchemas: () => ReadonlyMap<object, string>,
): Promise<void> {
  let names: ReadonlyMap<object, string> | undefined
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Hearth',
        version: '1',
        description:
          'Every path is served under `/v1` and at the root. Responses have an envelope. Strings are well-formed Unicode, and lengths count code points. The gateway at `/socket` sends events, described by [their JSON Schema](/docs/events.json).',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/v1' }],
      components: {
        securitySchemes: {
          token: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'The token, bare or after `Bot ` or `Bearer `',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => {
      names ??= nameSchemas()
      const { multipartBody } = route.config ?? {}
      const parts = multipartBody && { consumes: ['multipart/form-data'], body: multipartBody }
      const response = withSuccess(schema.response)
      const described = { ...schema, ...parts, response, security: securityOf(app, route) }
      return { schema: documentedSchema(described, names), url }
    },
    // Done when the document is first requested, so that the start need not wait for it.
    transformObject: (described) =>
      showExamples(
        moveNamedSchemas('openapiObject' in described ? described.openapiObject : described.swaggerObject),
      ),
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`) },
  })
  const sendJson = documentSender('application/json; charset=utf-8', () => JSON.stringify(app.swagger()))
  const sendYaml = documentSender('application/x-yaml', () => app.swagger({ yaml: true }))
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    indexPrefix: '',
    uiHooks: {
      onRequest: (_request, reply, done) => {
        reply.header('Content-Security-Policy', pagePolicy)
        done()
      },
      // Answers in place of the routes of the page, which would write the document anew for each request.
      preHandler: async (request, reply) => {
        const { url } = request.routeOptions
        if (url === '/docs/json') return sendJson(request, reply)
        if (url === '/docs/yaml') return sendYaml(request, reply)
      },
    },
    theme: { title: 'Hearth API' },
    // Without the bar for loading other documents, which the policy would block.
    uiConfig: { deepLinking: true, validatorUrl: null, layout: 'BaseLayout', tagsSorter: 'alpha' },
  })
}

/** The `security` of a route: a token, an optional token, or none. */
function securityOf(app: FastifyInstance, { schema, onRequest = [] }: RouteOptions) {
  const isOptional = [onRequest].flat().some((hook) => hook === app.authenticateOptional)
  return isOptional ? [{ token: [] }, {}] : (schema?.security ?? [])
}

/** Adds a `default` to the responses of a route that never answers 2xx: readers of the document expect one of the two. */
function withSuccess(response: unknown) {
  const statuses = Object.keys(response ?? {})
  if (statuses.some((status) => status.startsWith('2'))) return response
  return { ...(response ?? {}), default: Failure }
}
