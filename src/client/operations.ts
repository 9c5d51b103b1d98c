import type { AccountExport, RequestExport } from '../accounts/exports/schemas.ts'
import type { PushSubscriptionId, SubscribeToPushes } from '../accounts/push-subscriptions/schemas.ts'
import type {
  AccountId,
  BackupCodes,
  BeginOidc,
  BeginTotp,
  ChangeEmail,
  ChangePassword,
  CheckedPassword,
  CheckPassword,
  Code,
  DeleteAccount,
  DisableTotp,
  EmailAddress,
  EndedSession,
  ForgotPassword,
  LoggedIn,
  LogIn,
  LoginSession,
  Register,
  ResetDone,
  ResetPassword,
  TotpDisabled,
  TotpSecret,
  VerifiedEmail,
} from '../accounts/schemas.ts'
import type {
  AdministeredHouse,
  AdministeredId,
  AdministeredUser,
  AdministerUser,
  AdminListQuery,
  AdminOverview,
  OwnAdministration,
  ServerAuditEntry,
} from '../administration/schemas.ts'
import type { AddBot, Bot, BotId, BotToken, CreateBot, CreatedBot, EditBot } from '../bots/schemas.ts'
import type { FriendRequests, Relationship, RequestFriendship } from '../friendships/schemas.ts'
import type { AuditLogEntry, AuditLogQuery } from '../houses/audit-log/schemas.ts'
import type { Ban, BanUser, LiftedBan } from '../houses/bans/schemas.ts'
import type {
  CreateEntity,
  DeletedEntity,
  EditEntity,
  Entity,
  HouseEntities,
} from '../houses/entities/schemas.ts'
import type {
  CreateInvite,
  Invite,
  InvitePreview,
  InviteQuery,
  JoinedHouse,
  RevokedInvite,
  UseInvite,
} from '../houses/invites/schemas.ts'
import type {
  ExtendedMemberQuery,
  ListedMember,
  Member,
  MemberQuery,
  RemovedMember,
} from '../houses/members/schemas.ts'
import type { Retention, SetRetention } from '../houses/retention/schemas.ts'
import type { CreateRole, DeletedRole, EditRole, Role } from '../houses/roles/schemas.ts'
import type {
  CreateHouse,
  EditedHouse,
  EditHouse,
  HandedOverHouse,
  HandOverHouse,
  House,
  HouseDetail,
  HouseSummary,
} from '../houses/schemas.ts'
import type { ExecuteQuery, ExecuteWebhook } from '../houses/webhooks/execution/schemas.ts'
import type {
  CreateWebhook,
  DeletedWebhook,
  EditWebhook,
  Webhook,
  WebhookWithUrl,
} from '../houses/webhooks/schemas.ts'
import type { ExtendedErrors, ListQuery, PageQuery } from '../http/schemas/params.ts'
import type { Pin } from '../messages/pins/schemas.ts'
import type { Reaction } from '../messages/reactions/schemas.ts'
import type {
  DeletedMessage,
  EditedMessage,
  EditMessage,
  EditOrAckMessage,
  ExtendedQuery,
  GatewayMessage,
  ListedMessage,
  MessagePageQuery,
  SearchQuery,
  SendMessage,
  SentMessage,
  Typing,
} from '../messages/schemas.ts'
import type { Acked, ReadStates } from '../read-states/schemas.ts'
import type {
  CreateHouseRoom,
  DeletedRoom,
  EditDefaultPermissions,
  EditRoom,
  SetOverride,
} from '../rooms/house-rooms/schemas.ts'
import type { CreatePrivateRoom, RemovedRecipient } from '../rooms/private-rooms/schemas.ts'
import type { Room } from '../rooms/schemas.ts'
import type { ServerInformation } from '../server-information/schemas.ts'
import type { EditSettings, SetRoomOverride, SetRoomOverrideAnswer, Settings } from '../settings/schemas.ts'
import type { CompactUser, EditUser, FullUser } from '../users/schemas.ts'
import type { paths } from './paths.ts'

/**
 * The body of `sendMediaMessage`: a file and the fields of a message. `filename` defaults to the name of the file; with
 * `as_file` a picture keeps its metadata.
 */
export type SendMediaMessage = Omit<Partial<SendMessage>, 'content'> & {
  content?: string
  as_file?: boolean
  file: Blob
  filename?: string
}

type Health = { status: 'ok' }
type Ready = Health & { database_space?: 'low' | 'full' }

/** The query, body and response of each operation. Path parameters follow from `paths`. */
type Shapes = {
  // accounts
  checkPassword: { body: CheckPassword; answer: CheckedPassword }
  forgotPassword: { body: ForgotPassword; answer: undefined }
  logIn: { query: ExtendedErrors; body: LogIn; answer: LoggedIn }
  logOut: { answer: undefined }
  register: { query: ExtendedErrors; body: Register; answer: LoggedIn }
  beginOidc: { query: BeginOidc; answer: never }
  logInByOidc: { query: ExtendedErrors; body: Code; answer: LoggedIn }
  finishOidc: { answer: never }
  resetPassword: { body: ResetPassword; answer: ResetDone }
  verifyEmail: { body: Code; answer: VerifiedEmail }
  resendVerification: { answer: EmailAddress }
  deleteOwnAccount: { body: DeleteAccount; answer: AccountId }
  changeEmail: { body: ChangeEmail; answer: EmailAddress }
  beginTotp: { body: BeginTotp; answer: TotpSecret }
  disableTotp: { body: DisableTotp; answer: TotpDisabled }
  enableTotp: { body: Code; answer: BackupCodes }
  changePassword: { body: ChangePassword; answer: AccountId }
  getExport: { answer: AccountExport }
  requestExport: { body: RequestExport; answer: AccountExport }
  subscribeToPushes: { body: SubscribeToPushes; answer: PushSubscriptionId }
  unsubscribeFromPushes: { answer: PushSubscriptionId }
  listSessions: { query: ListQuery; answer: LoginSession[] }
  endSession: { answer: EndedSession }
  // administration
  listServerAuditLog: { query: PageQuery; answer: ServerAuditEntry[] }
  listAdministeredHouses: { query: AdminListQuery; answer: AdministeredHouse[] }
  deleteAdministeredHouse: { answer: AdministeredId }
  getOwnAdministration: { answer: OwnAdministration }
  getAdminOverview: { answer: AdminOverview }
  listAdministeredUsers: { query: AdminListQuery; answer: AdministeredUser[] }
  getAdministeredUser: { answer: AdministeredUser }
  administerUser: { body: AdministerUser; answer: AdministeredUser }
  deleteAdministeredUser: { answer: AdministeredId }
  endSessionsOfUser: { answer: AdministeredId }
  // audit log
  listAuditLog: { query: AuditLogQuery; answer: AuditLogEntry[] }
  // bans
  listBans: { query: PageQuery; answer: Ban[] }
  banUser: { body: BanUser; answer: Ban }
  liftBan: { answer: LiftedBan }
  // bots
  createBot: { body: CreateBot; answer: CreatedBot }
  listBots: { answer: Bot[] }
  editBot: { body: EditBot; answer: Bot }
  deleteBot: { answer: BotId }
  rotateBotToken: { answer: BotToken }
  addBot: { body: AddBot; answer: Member }
  // entities
  createEntity: { body: CreateEntity; answer: HouseEntities }
  editEntity: { body: EditEntity; answer: Entity }
  deleteEntity: { answer: DeletedEntity }
  // houses
  createHouse: { body: CreateHouse; answer: House }
  editHouse: { body: EditHouse; answer: EditedHouse }
  deleteHouse: { answer: undefined }
  getHouse: { answer: HouseDetail }
  removeHouseIcon: { answer: EditedHouse }
  handOverHouse: { body: HandOverHouse; answer: HandedOverHouse }
  listHouseRooms: { answer: Room[] }
  listOwnHouses: { answer: HouseSummary[] }
  leaveHouse: { answer: undefined }
  getRetention: { answer: Retention }
  setRetention: { body: SetRetention; answer: Retention }
  // invites
  createInvite: { body: CreateInvite; answer: Invite }
  listInvites: { answer: Invite[] }
  getInvite: { query: InviteQuery; answer: InvitePreview }
  useInvite: { query: ExtendedErrors; body: UseInvite; answer: JoinedHouse }
  revokeInvite: { answer: RevokedInvite }
  // media
  getExportFile: { query: { key?: string }; answer: Blob }
  getAttachment: { query: { key?: string }; answer: Blob }
  getHouseIcon: { answer: Blob }
  getUserHeader: { answer: Blob }
  getUserIcon: { answer: Blob }
  // members
  listMembers: { query: MemberQuery; answer: ListedMember[] }
  getMember: { query: ExtendedMemberQuery; answer: ListedMember }
  kickMember: { answer: RemovedMember }
  kickMemberByShortPath: { answer: RemovedMember }
  // messages
  deleteHouseMessage: { answer: DeletedMessage }
  searchHouse: { query: SearchQuery; answer: ListedMessage[] }
  sendMediaMessage: { query: ExtendedQuery; body: SendMediaMessage; answer: SentMessage }
  sendMessage: { query: ExtendedQuery; body: SendMessage; answer: SentMessage }
  listMessages: { query: MessagePageQuery; answer: ListedMessage[] }
  searchRoom: { query: SearchQuery; answer: ListedMessage[] }
  getMessage: { query: ExtendedQuery; answer: ListedMessage }
  editMessage: { query: ExtendedQuery; body: EditMessage; answer: EditedMessage }
  editOrAckMessage: { query: ExtendedQuery; body: EditOrAckMessage; answer: EditedMessage | Acked }
  deleteMessage: { answer: DeletedMessage }
  ackMessage: { answer: Acked }
  addReaction: { answer: Reaction }
  removeReaction: { answer: Reaction }
  listReactionUsers: { query: PageQuery; answer: CompactUser[] }
  pinMessage: { answer: Pin }
  unpinMessage: { answer: Pin }
  listPins: { answer: ListedMessage[] }
  startTyping: { answer: Typing }
  listOwnFeed: { query: MessagePageQuery; answer: ListedMessage[] }
  listOwnMentions: { query: MessagePageQuery; answer: ListedMessage[] }
  listReadStates: { answer: ReadStates }
  // private rooms
  call: { answer: never }
  declineCall: { answer: never }
  addRecipient: { answer: Room }
  removeRecipient: { answer: RemovedRecipient }
  createPrivateRoom: { body: CreatePrivateRoom; answer: Room }
  listPrivateRooms: { query: ListQuery; answer: Room[] }
  leaveGroup: { answer: undefined }
  // relationships
  listBlocked: { answer: CompactUser[] }
  block: { answer: Relationship }
  unblock: { answer: Relationship }
  listFriendRequests: { answer: FriendRequests }
  requestFriendship: { body: RequestFriendship; answer: Relationship }
  withdrawFriendRequest: { answer: Relationship }
  listFriends: { answer: CompactUser[] }
  unfriend: { answer: undefined }
  listRestricted: { answer: CompactUser[] }
  restrict: { answer: Relationship }
  unrestrict: { answer: Relationship }
  listMutualFriends: { answer: CompactUser[] }
  // roles
  giveRole: { answer: Member }
  takeRole: { answer: Member }
  listRoles: { answer: Role[] }
  createRole: { body: CreateRole; answer: Role }
  editRole: { body: EditRole; answer: Role }
  deleteRole: { answer: DeletedRole }
  // rooms
  createHouseRoom: { body: CreateHouseRoom; answer: Room }
  deleteRoomOfHouse: { answer: DeletedRoom }
  getRoom: { answer: Room }
  editRoom: { body: EditRoom; answer: Room }
  deleteRoom: { answer: DeletedRoom }
  editDefaultPermissions: { body: EditDefaultPermissions; answer: Room }
  setOverride: { body: SetOverride; answer: Room }
  removeOverride: { answer: Room }
  // service
  getHealth: { answer: Health }
  getReady: { answer: Ready }
  getServer: { answer: ServerInformation }
  // settings
  getSettings: { answer: Settings }
  editSettings: { body: EditSettings; answer: Settings }
  setRoomOverride: { body: SetRoomOverride; answer: SetRoomOverrideAnswer }
  // users
  getOwnUser: { answer: FullUser }
  editOwnUser: { body: EditUser; answer: FullUser }
  getUser: { answer: FullUser }
  // webhooks
  createWebhook: { body: CreateWebhook; answer: WebhookWithUrl }
  listWebhooks: { answer: Webhook[] }
  editWebhook: { body: EditWebhook; answer: Webhook }
  deleteWebhook: { answer: DeletedWebhook }
  rotateWebhookToken: { answer: WebhookWithUrl }
  executeWebhook: { query: ExecuteQuery; body: ExecuteWebhook; answer: GatewayMessage | undefined }
}

/** The name of an operation: its `operationId` in `docs/openapi.json`. */
export type OperationId = keyof Shapes & keyof typeof paths

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

/** The ids in the path of an operation, by name. */
export type Params<Id extends OperationId> = Record<ParamNames<(typeof paths)[Id]>, string>

/** Query values may also be numbers and booleans. */
type AsQuery<Query> = { [Key in keyof Query]: Query[Key] | number | boolean }

/** `key` is forbidden if the operation has none, optional if all its fields are, else required. */
type Part<Key extends string, Value> = [Value] extends [never]
  ? { [_ in Key]?: undefined }
  : Record<never, never> extends Value
    ? { [_ in Key]?: Value }
    : { [_ in Key]: Value }

type Given<Id extends OperationId, Key> = Key extends keyof Shapes[Id] ? Shapes[Id][Key] : never
type GivenQuery<Id extends OperationId> =
  Given<Id, 'query'> extends never ? never : AsQuery<Given<Id, 'query'>>
type GivenParams<Id extends OperationId> = keyof Params<Id> extends never ? never : Params<Id>

/** The input of an operation: `params`, `query` and `body`, as far as it has them. */
export type Input<Id extends OperationId> = Part<'params', GivenParams<Id>> &
  Part<'query', GivenQuery<Id>> &
  Part<'body', Given<Id, 'body'>>

/** The `data` of an operation's response. */
export type Answer<Id extends OperationId> = Shapes[Id]['answer']
