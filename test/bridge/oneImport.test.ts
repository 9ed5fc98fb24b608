/** A program of the original contract needs no other import than `reins/bridge`; the type check is the test. */
import { assert, it } from "vitest"
import {
  type AgentDeliveryResult,
  type AgentEvent,
  type AgentExecuteParams,
  type AgentRunResult,
  type AgentUsage,
  type BridgeCallbacks,
  type ChannelMessage,
  type DoneEvent,
  didSendViaMcpTool,
  type ErrorEvent,
  type McpMessageTarget,
  type McpSideEffects,
  type PermissionDenial,
  type SessionEvent,
  type TextEvent,
  type ToolResultEvent,
  type ToolUseEvent
} from "../../src/bridge.ts"

interface Contract {
  readonly params: AgentExecuteParams
  readonly events: readonly [SessionEvent, TextEvent, ToolUseEvent, ToolResultEvent, ErrorEvent, DoneEvent]
  readonly run: AgentRunResult
  readonly usage: AgentUsage
  readonly denial: PermissionDenial
  readonly message: ChannelMessage
  readonly callbacks: BridgeCallbacks
  readonly delivered: AgentDeliveryResult
  readonly effects: McpSideEffects
}

const kindsOf = (events: Contract["events"]): ReadonlyArray<AgentEvent["type"]> => events.map(({ type }) => type)

it("side effects written by hand need the targets alone", () => {
  const target: McpMessageTarget = { tool: "send_message", provider: "telegram" }
  assert.isTrue(didSendViaMcpTool({ sentTargets: [target] }))
  assert.isFalse(didSendViaMcpTool({ sentTargets: [] }))
  // The four fields of the original contract.
  assert.isTrue(didSendViaMcpTool({ sentTexts: [], sentMediaUrls: [], sentTargets: [target], cronAdds: 0 }))
  assert.isFunction(kindsOf)
})
