import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A request and its answer, checked by test/docs/examples.test.ts. */
export type Example = {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: object
  status: number
  /** Absent if there is no body, or one that is not JSON. */
  answer?: object
}
export type Examples = Record<string, Example>

/** The parts of an OpenAPI document that are read here. */
type Content = Record<string, { example?: object }>
type Parameter = { in: string; name: string; schema?: { type?: string }; example?: unknown }
type Operation = {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

export const examplesPath = join(import.meta.dirname, '../../../docs/examples.json')

/** The examples in docs/examples.json, by operationId. */
export function readExamples(): Examples {
  return JSON.parse(readFileSync(examplesPath, 'utf8'))
}

/** Adds examples of request and answer to each operation of an OpenAPI document. */
export function showExamples<Document extends { paths?: object }>(document: Document): Document {
  const examples = readExamples()
  for (const methods of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(methods as Record<string, Operation>)) {
      const example = examples[operation.operationId ?? '']
      if (example) showExample(operation, example)
    }
  }
  return document
}

function showExample(operation: Operation, { params, query, body, status, answer }: Example): void {
  for (const parameter of operation.parameters ?? []) {
    const given = (parameter.in === 'path' ? params : query)?.[parameter.name]
    if (given !== undefined) parameter.example = typed(given, parameter)
  }
  const { requestBody, responses } = operation
  if (requestBody && body) requestBody.content = withExample(requestBody.content, body)
  const described = status in responses ? String(status) : `${Math.floor(status / 100)}XX`
  const response = responses[described]
  if (response?.content && answer) {
    responses[described] = { ...response, content: withExample(response.content, answer) }
  }
}

/** The value of a parameter in the type of its schema. */
function typed(text: string, { schema }: Parameter): unknown {
  return schema?.type === 'integer' || schema?.type === 'boolean' ? JSON.parse(text) : text
}

function withExample(content: Content, example: object): Content {
  return Object.fromEntries(Object.entries(content).map(([type, media]) => [type, { ...media, example }]))
}
