import { serializeCompactUser } from '../../users/serializers.ts'
import type { Extension, GatewayExtension } from '../schemas.ts'
import type { ExtensionRow, GatewayExtensionRow } from './extension-queries.ts'

/** What a message in gateway form has more (docs/resources.md#extended-messages); a message without a row has nothing. */
export function serializeGatewayExtension(row: GatewayExtensionRow | undefined): GatewayExtension {
  if (!row) return { reply_to: null, pinned: false }
  const { reply_to: id, author, content, pinned } = row
  return {
    reply_to: id === null ? null : { id, author: author && serializeCompactUser(author), content },
    pinned,
  }
}

/** The same of a message in list form. */
export function serializeExtension(row: ExtensionRow | undefined): Extension {
  const reactions = (row?.reactions ?? []).map(([emoji, count, me]) => ({ emoji, count, me }))
  return { ...serializeGatewayExtension(row), reactions }
}
