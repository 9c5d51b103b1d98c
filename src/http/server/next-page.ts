import type { FastifyReply } from 'fastify'

/** Adds the header that names the next page of a list (docs/api.md#paging), if there is one, before the id `before`. */
export function linkNextPage(
  reply: FastifyReply,
  query: Record<string, string>,
  before: string | undefined,
): void {
  if (before !== undefined)
    reply.header('Link', `<?${new URLSearchParams({ ...query, before })}>; rel="next"`)
}
