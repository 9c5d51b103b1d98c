import type { AccountExport, RequestExport } from '../accounts/exports/schemas.ts'
import type {
  AccountId,
  BackupCodes,
  BeginTotp,
  ChangeEmail,
  ChangePassword,
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
import type { AddBot, Bot, BotId, BotToken, CreateBot, CreatedBot, EditBot } from '../bots/schemas.ts'
import type { FriendRequests, Relationship, RequestFriendship } from '../friendships/schemas.ts'
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
  JoinedHouse,
  RevokedInvite,
  UseInvite,
} from '../houses/invites/schemas.ts'
import type { Member, MemberQuery, RemovedMember } from '../houses/members/schemas.ts'
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
import type { ListQuery, PageQuery } from '../http/schemas/params.ts'
import type {
  DeletedMessage,
  EditedGatewayMessage,
  EditMessage,
  EditOrAckMessage,
  GatewayMessage,
  Message,
  SearchQuery,
  SendMessage,
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
import type { EditSettings, SetRoomOverride, SetRoomOverrideAnswer, Settings } from '../settings/schemas.ts'
import type { CompactUser, EditUser, FullUser } from '../users/schemas.ts'
import type { paths } from './paths.ts'

/** A file and the text beside it: the body of `sendMediaMessage`. The name is that of the file, unless one is given. */
export type SendMediaMessage = Omit<Partial<SendMessage>, 'content'> & {
  content?: string
  file: Blob
  filename?: string
}

type Health = { status: 'ok' }

/** What each operation takes and answers. Path parameters follow from `paths`. */
type Shapes = {
  // accounts
  forgotPassword: { body: ForgotPassword; answer: undefined }
  logIn: { body: LogIn; answer: LoggedIn }
  logOut: { answer: undefined }
  register: { body: Register; answer: LoggedIn }
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
  listSessions: { query: ListQuery; answer: LoginSession[] }
  endSession: { answer: EndedSession }
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
  // invites
  createInvite: { body: CreateInvite; answer: Invite }
  listInvites: { answer: Invite[] }
  getInvite: { answer: InvitePreview }
  useInvite: { body: UseInvite; answer: JoinedHouse }
  revokeInvite: { answer: RevokedInvite }
  // media
  getExportFile: { query: { key?: string }; answer: Blob }
  getAttachment: { query: { key?: string }; answer: Blob }
  getHouseIcon: { answer: Blob }
  getUserHeader: { answer: Blob }
  getUserIcon: { answer: Blob }
  // members
  listMembers: { query: MemberQuery; answer: Member[] }
  getMember: { answer: Member }
  kickMember: { answer: RemovedMember }
  kickMemberByShortPath: { answer: RemovedMember }
  // messages
  deleteHouseMessage: { answer: DeletedMessage }
  searchHouse: { query: SearchQuery; answer: Message[] }
  sendMediaMessage: { body: SendMediaMessage; answer: GatewayMessage }
  sendMessage: { body: SendMessage; answer: GatewayMessage }
  listMessages: { query: PageQuery; answer: Message[] }
  searchRoom: { query: SearchQuery; answer: Message[] }
  getMessage: { answer: Message }
  editMessage: { body: EditMessage; answer: EditedGatewayMessage }
  editOrAckMessage: { body: EditOrAckMessage; answer: EditedGatewayMessage | Acked }
  deleteMessage: { answer: DeletedMessage }
  ackMessage: { answer: Acked }
  startTyping: { answer: Typing }
  listOwnFeed: { query: PageQuery; answer: Message[] }
  listOwnMentions: { query: PageQuery; answer: Message[] }
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
  getReady: { answer: Health }
  // settings
  getSettings: { answer: Settings }
  editSettings: { body: EditSettings; answer: Settings }
  setRoomOverride: { body: SetRoomOverride; answer: SetRoomOverrideAnswer }
  // users
  getOwnUser: { answer: FullUser }
  editOwnUser: { body: EditUser; answer: FullUser }
  getUser: { answer: FullUser }
}

/** The name of an operation: its `operationId` in `docs/openapi.json`. */
export type OperationId = keyof Shapes & keyof typeof paths

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

/** The ids in the path of an operation, by name. */
export type Params<Id extends OperationId> = Record<ParamNames<(typeof paths)[Id]>, string>

/** Numbers in a query may be given as such. */
type AsQuery<Query> = { [Key in keyof Query]: Query[Key] | number }

/** Asks for `key` only where there is something to give. */
type Part<Key extends string, Value> = [Value] extends [never]
  ? { [_ in Key]?: undefined }
  : Record<never, never> extends Value
    ? { [_ in Key]?: Value }
    : { [_ in Key]: Value }

type Given<Id extends OperationId, Key> = Key extends keyof Shapes[Id] ? Shapes[Id][Key] : never
type GivenQuery<Id extends OperationId> =
  Given<Id, 'query'> extends never ? never : AsQuery<Given<Id, 'query'>>
type GivenParams<Id extends OperationId> = keyof Params<Id> extends never ? never : Params<Id>

/** What a call of an operation takes: `params`, `query` and `body`, as far as the operation has them. */
export type Input<Id extends OperationId> = Part<'params', GivenParams<Id>> &
  Part<'query', GivenQuery<Id>> &
  Part<'body', Given<Id, 'body'>>

/** What an operation answers, out of its envelope. */
export type Answer<Id extends OperationId> = Shapes[Id]['answer']
