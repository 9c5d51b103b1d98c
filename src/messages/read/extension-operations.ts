import type { Db } from '../../database/client.ts'
import type {
  EditedGatewayMessage,
  ExtendedQuery,
  Extension,
  GatewayExtension,
  GatewayMessage,
  Message,
} from '../schemas.ts'
import { serializeMessage } from '../serializers.ts'
import { findGatewayExtension, listExtensions } from './extension-queries.ts'
import { serializeExtension, serializeGatewayExtension } from './extension-serializers.ts'
import type { ListedMessageRow } from './page-queries.ts'

/** Who reads messages, by which client, and the server's public address. */
type Reader = { user_id: string; extended?: ExtendedQuery['extended']; origin: string }

/** The list forms of messages as a client reads them. */
export async function presentMessages(
  db: Db,
  { user_id, extended, origin }: Reader,
  rows: readonly ListedMessageRow[],
): Promise<(Message & Partial<Extension>)[]> {
  if (extended !== 'true') return rows.map((row) => serializeMessage(row, origin))
  const extensions = await listExtensions(db, user_id, rows)
  const byId = new Map(extensions.map((row) => [row.id, row]))
  return rows.map((row) => ({ ...serializeMessage(row, origin), ...serializeExtension(byId.get(row.id)) }))
}

/** What the gateway form of a message has more for extended clients, as it is now. */
export async function readGatewayExtension(
  db: Db,
  message: { room_id: string; id: string },
): Promise<GatewayExtension> {
  const { room_id, id } = message
  return serializeGatewayExtension(await findGatewayExtension(db, { room_id, id }))
}

/** A sent message as the client that sent it reads it; an extension that is not known is read. */
export async function presentSent(
  db: Db,
  { extended }: ExtendedQuery,
  { message, extension }: { message: GatewayMessage; extension: GatewayExtension | undefined },
): Promise<GatewayMessage & Partial<GatewayExtension>> {
  if (extended !== 'true') return message
  return { ...message, ...(extension ?? (await readGatewayExtension(db, message))) }
}

/** An edited message as the client that edited it reads it. */
export async function presentEdited(
  db: Db,
  { extended }: ExtendedQuery,
  message: EditedGatewayMessage,
): Promise<EditedGatewayMessage & Partial<GatewayExtension>> {
  return extended === 'true' ? { ...message, ...(await readGatewayExtension(db, message)) } : message
}
