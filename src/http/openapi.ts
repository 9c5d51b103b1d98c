import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { showExamples } from './examples.ts'

/** The documentation page needs nothing from other servers; it does use inline styles. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

/**
 * Collects the OpenAPI document from the routes' schemas and docs/examples.json, and serves it as a page at `/docs` and
 * at `/docs/json`.
 */
export async function describeApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Hearth',
        version: '1',
        description:
          'Every path is served under `/v1` and at the root. Answers come in an envelope. The gateway at `/socket` tells what happens: [the JSON Schema of its events](/docs/events.json).',
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
    // Done when the document is first requested, so that the start need not wait for it.
    transformObject: (described) =>
      showExamples('openapiObject' in described ? described.openapiObject : described.swaggerObject),
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `def-${i}`) },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    indexPrefix: '',
    uiHooks: {
      onRequest: (_request, reply, done) => {
        reply.header('Content-Security-Policy', pagePolicy)
        done()
      },
    },
    theme: { title: 'Hearth API' },
    // Without the bar for loading other documents, which the policy would block.
    uiConfig: { deepLinking: true, validatorUrl: null, layout: 'BaseLayout', tagsSorter: 'alpha' },
  })
}
