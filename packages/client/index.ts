// The exports of the package hearth-client: docs/client.md
export type { ApiOptions, CallOptions } from '../../src/client/api.ts'
export { answerCommands, type Command, type CommandsOptions } from '../../src/client/commands.ts'
export { ApiError } from '../../src/client/errors.ts'
export { GatewayRefused } from '../../src/client/event-iterator.ts'
export type { EventName, Events, GatewayEvent } from '../../src/client/events.ts'
export { Gateway, type GatewayOptions } from '../../src/client/gateway.ts'
export type { GatewayState, Session } from '../../src/client/gateway-state.ts'
export { newNonce } from '../../src/client/message-bodies.ts'
export { type Message, normalizeMessage } from '../../src/client/messages.ts'
export type { Answer, Input, OperationId } from '../../src/client/operations.ts'
export { type ItemOf, type ListOperation, paginate } from '../../src/client/paginate.ts'
export { OperationError, RetryingApi as Api, type RetryingApiOptions } from '../../src/client/retrying-api.ts'
export {
  allPermissions,
  type HouseContext,
  hasBits,
  housePermissions,
  permission,
  type RoomContext,
  roomPermissions,
} from '../../src/houses/permissions.ts'
