/** The bridge: messages of people in, agents at work, answers out. As an Effect service, and with promises. */
export { actionsOf, eventsOfActions } from "./actions/Actions.ts"
export { Action, AgentAction, Completed, Started } from "./actions/AgentAction.ts"

export { AccessError } from "./bridge/access/AccessError.ts"
export type { AccessOf, AccessOptions, ChannelAccount, GroupAccess } from "./bridge/access/AccessOptions.ts"
export type { Role } from "./bridge/access/Role.ts"
export type { BridgeDirectory, BridgeOptions, WhileBusy } from "./bridge/BridgeOptions.ts"
export { ChannelBridge, type ConversationState } from "./bridge/ChannelBridge.ts"
export type { ChatDefaults } from "./bridge/chatSettings.ts"
export {
  createBridge,
  type PlainBridge,
  type PlainBridgeAgent,
  type PlainBridgeOptions
} from "./bridge/plain/CreateBridge.ts"
export { fromPlain } from "./bridge/plain/FromPlain.ts"
export type { CallOptions, PlainChannel, PlainHeard } from "./bridge/plain/PlainChannel.ts"
export type { ServeError } from "./bridge/ServeError.ts"
export { Telegram } from "./channels/telegram/Telegram.ts"
export type { TelegramOptions } from "./channels/telegram/TelegramOptions.ts"
export { WebChat } from "./channels/web/WebChat.ts"
export type { WebAgent, WebBudget, WebChatOptions, WebDirectory } from "./channels/web/WebChatOptions.ts"
export { ListenRefused, PortTaken } from "./channels/web/WebListenError.ts"
export type { WebListenOptions } from "./channels/web/WebListenOptions.ts"
export type { WebPerson } from "./channels/web/WebPerson.ts"
export type { GatewayOptions, GatewayProfile, GatewayTargetOptions } from "./gateway/GatewayOptions.ts"
export type { Deliver } from "./gateway/OwnDelivery.ts"
export { Journal } from "./journal/Journal.ts"
export { ChannelLost, ChannelTaken } from "./journal/JournalError.ts"
export { AgentDeliveryResult, type BridgeCallbacks } from "./messages/AgentDeliveryResult.ts"
export type { Channel, ChannelLimits, Finding, Heard, Pace } from "./messages/Channel.ts"
export { ChannelMessage, MessageAttachment, Sender } from "./messages/ChannelMessage.ts"
export { Conversation } from "./messages/Conversation.ts"
export { Incoming, PressChoice, Receipt } from "./messages/Incoming.ts"
export { didSendViaMcpTool, McpMessageTarget, McpSideEffects, SentMessage } from "./messages/McpSideEffects.ts"
export { Button, MessageRef, Piece, ReplyPayload } from "./messages/ReplyPayload.ts"
export { ChannelError, SendError, SendReason } from "./messages/SendError.ts"
export type { Chosen, PersonRole, Sight } from "./messages/Sight.ts"
