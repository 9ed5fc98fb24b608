/** The bridge: messages of people in, agents at work, answers out. As an Effect service, and with promises. */

export type { AccessOf, AccessOptions, ChannelAccount, GroupAccess, Role } from "./bridge/access/AccessOptions.ts"
export { AccessError } from "./bridge/access/AccessOptions.ts"
export { actionsOf, eventsOfActions } from "./bridge/actions/Actions.ts"
export { Action, AgentAction, Completed, Started } from "./bridge/actions/AgentAction.ts"
export type { BridgeDirectory, BridgeOptions, WhileBusy } from "./bridge/BridgeOptions.ts"
export { ChannelBridge, type ConversationState } from "./bridge/ChannelBridge.ts"
export type { ChatDefaults } from "./bridge/ChatSettings.ts"
export type { GatewayOptions, GatewayProfile, GatewayTargetOptions } from "./bridge/gateway/GatewayOptions.ts"
export type { Deliver } from "./bridge/gateway/OwnDelivery.ts"
export type { Transcribe, TranscribeCommand } from "./bridge/intake/Transcriber.ts"
export { Journal } from "./bridge/journal/Journal.ts"
export {
  AgentDeliveryResult,
  type BridgeCallbacks,
  didSendViaMcpTool,
  McpMessageTarget,
  McpSideEffects,
  SentMessage
} from "./bridge/messages/AgentDeliveryResult.ts"
export type { Channel, ChannelLimits, Finding, Heard, Pace, Reception } from "./bridge/messages/Channel.ts"
export { ChannelMessage, MessageAttachment, Sender } from "./bridge/messages/ChannelMessage.ts"
export { Conversation } from "./bridge/messages/Conversation.ts"
export { Incoming, PressChoice, Receipt } from "./bridge/messages/Incoming.ts"
export { Button, MessageRef, Piece, ReplyPayload } from "./bridge/messages/ReplyPayload.ts"
export { ChannelError, SendError, SendReason } from "./bridge/messages/SendError.ts"
export type { Chosen, PersonRole, Sight } from "./bridge/messages/Sight.ts"
export {
  createBridge,
  type PlainBridge,
  type PlainBridgeAgent,
  type PlainBridgeOptions
} from "./bridge/promise/CreateBridge.ts"
export { fromPlain } from "./bridge/promise/FromPlain.ts"
export type { CallOptions, PlainChannel, PlainHeard } from "./bridge/promise/PlainChannel.ts"
export type { ServeError } from "./bridge/ServeError.ts"
export { ChannelLost, ChannelTaken } from "./bridge/ServeError.ts"
export { Discord } from "./channels/discord/Discord.ts"
export type { DiscordGroup, DiscordOptions } from "./channels/discord/DiscordOptions.ts"
export { ListenRefused, PortTaken } from "./channels/kit/HttpServer.ts"
export { Slack } from "./channels/slack/Slack.ts"
export type { SlackOptions } from "./channels/slack/SlackOptions.ts"
export { Telegram } from "./channels/telegram/Telegram.ts"
export type { TelegramOptions } from "./channels/telegram/TelegramOptions.ts"
export { WebChat } from "./channels/web/WebChat.ts"
export type { WebAgent, WebBudget, WebChatOptions, WebDirectory, WebPerson } from "./channels/web/WebChatOptions.ts"
export type { WebListenOptions } from "./channels/web/WebListenOptions.ts"
export { WhatsApp } from "./channels/whatsapp/WhatsApp.ts"
export type { WhatsAppListenOptions, WhatsAppOptions } from "./channels/whatsapp/WhatsAppOptions.ts"
export type { AgentEvent, DoneEvent, ErrorEvent, SessionEvent, TextEvent } from "./contract/AgentEvent.ts"
export type { AgentExecuteParams } from "./contract/AgentExecuteParams.ts"
export type { AgentRunResult, AgentUsage, PermissionDenial } from "./contract/AgentRunResult.ts"
export type { ToolMedia, ToolResultEvent, ToolUseEvent } from "./contract/ToolEvent.ts"
