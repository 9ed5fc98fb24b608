/** What a bridge is given: its agents, where they work, and how it behaves. */

import type { AgentExecuteParams, PermissionMode } from "../contract/AgentExecuteParams.ts"
import type * as Input from "../contract/Input.ts"
import type { ApprovalRule } from "../contract/Rule.ts"
import type { OnInterrupted } from "../contract/Sessions.ts"
import type { AccessOf } from "./access/AccessOptions.ts"
import type { ChatDefaults } from "./ChatSettings.ts"
import type { OnToolSend } from "./delivery/suppress.ts"
import type { CheckedGateway } from "./gateway/checkGateway.ts"
import type { GatewayOptions, GatewayProfile } from "./gateway/GatewayOptions.ts"
import type { Deliver } from "./gateway/OwnDelivery.ts"
import type { ProgressMode } from "./progress/render.ts"
import type { BridgeAgents } from "./turn/agents.ts"

/** A directory where agents may work, by a name that people of a chat can say. */
export interface BridgeDirectory {
  /** Absolute. */
  readonly path: string
  /** The agent that works there. Default: that of the bridge. */
  readonly agent?: string | undefined
  /** Its model. Default: that of the agent. */
  readonly model?: string | undefined
  /** What any agent may do there without asking. Default: that of the agent. */
  readonly permissionMode?: PermissionMode | undefined
}

/**
 * What a message does while the agent works. `steer`: the agent takes it up at its next step, where its CLI can (Claude
 * Code, Codex); else as `queue`. `queue`: it is answered afterwards. `collect`: all that came is answered afterwards as
 * one. `interrupt`: it ends the turn, and is answered.
 */
export type WhileBusy = "steer" | "queue" | "collect" | "interrupt"

/** Variables of an agent. */
export type Environment = NonNullable<AgentExecuteParams["env"]>

export interface BridgeOptions {
  /** Layers of `AgentRuntime`, by names of your own. */
  readonly agents: BridgeAgents
  /** The agent that is asked unless a chat has chosen another. Default: the first. */
  readonly agent?: string | undefined
  /**
   * Environments of an agent, by its name, such as one for each account at its provider. The first is used; a turn that is
   * refused before any output (not signed in, no credit, too many requests) is asked once with each of the others, and the
   * turns after it begin with the one that answered. Default: the agent's own.
   */
  readonly profiles?: { readonly [agent: string]: ReadonlyArray<Environment> } | undefined
  /** Where agents may work. Default: the host's working directory alone. */
  readonly directories?: { readonly [name: string]: BridgeDirectory } | undefined
  /** The directory in which a chat works unless it has chosen another. Default: the host's working directory. */
  readonly directory?: string | undefined
  /**
   * Answers with live sessions, which ask before they act, and can be steered. Without, each message is a run of its own.
   * Default: true.
   */
  readonly live?: boolean | undefined
  /** How long a live session stays open without a message. Default: 10 minutes. */
  readonly idle?: Input.DurationInput | undefined
  /**
   * `total`: how many conversations may have an agent open at once, live sessions between their turns included. Further
   * messages wait, which their people are told; for them, the live session that was used least recently is closed, and
   * resumed by its next message. Default: 10.
   */
  readonly limits?: { readonly total?: number | undefined } | undefined
  /** What a message does while the agent works. Default: `steer`. */
  readonly whileBusy?: WhileBusy | undefined
  /**
   * What becomes of a turn whose host died while its agent was at work: `fail` asks the people, `continue` asks the agent
   * to go on, `again` asks it once more. Default: `fail`, since what it did may not be done twice.
   */
  readonly onInterrupted?: OnInterrupted | undefined
  /**
   * What becomes of a message of the bridge that may be missing, and that its channel cannot look for: `ask` asks the
   * people, who can have it shown; `again` sends it once more, with a mark. Default: `ask`.
   */
  readonly onUnknown?: "ask" | "again" | undefined
  /**
   * What agents of served channels may do without a person, and what they ask: in a chat by buttons or numbers, for an
   * hour, then it is denied. Default: reading and searching are allowed, people with the role `approver` are asked for all
   * else. Not for runs (`live: false`), which ask nobody.
   */
  readonly approvals?: ReadonlyArray<ApprovalRule> | undefined
  /**
   * A message that shows the agent at work: `edit` keeps it up to date, `brief` says when it begins and ends. Default:
   * `edit`, and `off` where a channel cannot change messages.
   */
  readonly progress?: ProgressMode | undefined
  /**
   * Below an answer: its agent, model, mode, time and cost, and the line by which its session goes on, which the message
   * of progress then has not. Not on channels that draw turns themselves. Default: false.
   */
  readonly footer?: boolean | undefined
  /** Tools of agents on served channels. Default: `reply`: messages, files and questions to their own chat. */
  readonly gateway?: GatewayProfile | GatewayOptions | undefined
  /**
   * What a message that the agent sent by a tool does to its answer: `equal` texts to the same chat are not said twice;
   * `silent`: after any message to its chat the answer is not said. Default: `equal`.
   */
  readonly onToolSend?: OnToolSend | undefined
  /**
   * How a message that an agent sends by a tool reaches its chat, in conversations of `handle` that nobody serves. A
   * failure other than a `SendError` means that it may be there. Default: agents have no tools there.
   */
  readonly deliver?: Deliver | undefined
  /** Ends the host and starts it anew, after `/restart` of an owner, once no agent works. Default: it cannot be done. */
  readonly onRestart?: (() => Input.Eventually<void>) | undefined
  /**
   * Who may speak on the channels that are served; a function gives each account lists of its own. Default: nobody, so that
   * no channel can be served.
   */
  readonly access?: AccessOf | undefined
  /** What single chats begin with, by their ids. Default: what the bridge was given. */
  readonly chats?: { readonly [chatId: string]: ChatDefaults } | undefined
  /**
   * Shows a code to whoever started the host, on its terminal and in no log: the first person who sends it to the account,
   * in a direct chat, within ten minutes, becomes an owner, and is one after a restart, too. Default: only people who are
   * listed, or were owners before.
   */
  readonly pair?:
    | ((code: string, account: { readonly channel: string; readonly accountId: string }) => Input.Eventually<void>)
    | undefined
  /** Of a chunk of `onPartialReply`, in characters. Default: 4000. */
  readonly chunkLength?: number | undefined
}

/** The same, checked, with the defaults. */
export interface CheckedOptions {
  readonly agents: BridgeAgents
  readonly agent: string
  readonly profiles: { readonly [agent: string]: ReadonlyArray<Environment> }
  readonly directories: { readonly [name: string]: BridgeDirectory }
  readonly directory: string | undefined
  readonly live: boolean
  readonly idleMs: number
  readonly total: number
  readonly chunkLength: number
  readonly whileBusy: WhileBusy
  readonly onInterrupted: OnInterrupted
  readonly onUnknown: "ask" | "again"
  readonly access: AccessOf
  readonly chats: { readonly [chatId: string]: ChatDefaults }
  readonly gateway: CheckedGateway
  readonly onToolSend: OnToolSend
  readonly progress: ProgressMode | undefined
  readonly footer: boolean
  readonly approvals: ReadonlyArray<ApprovalRule> | undefined
  readonly deliver: Deliver | undefined
  readonly onRestart: BridgeOptions["onRestart"]
  readonly pair: BridgeOptions["pair"]
}
