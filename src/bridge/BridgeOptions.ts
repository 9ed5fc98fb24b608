/** Options of a bridge (agents, directories, behaviour), and their check, which adds the defaults. */

import { type Layer, Result, Schema } from "effect"
import type { AgentRuntime } from "../agents/AgentRuntime.ts"
import { InvalidParams } from "../contract/AgentError.ts"
import type { AgentExecuteParams, PermissionMode } from "../contract/AgentExecuteParams.ts"
import { makeParser } from "../contract/checkInput.ts"
import * as Input from "../contract/Input.ts"
import type { OwnCli } from "../contract/PlainAgent.ts"
import type { ApprovalRule } from "../contract/Rule.ts"
import type { OnInterrupted } from "../contract/Sessions.ts"
import { suggestionFor } from "../contract/suggestions.ts"
import { WorktreeOptions } from "../contract/WorktreeOptions.ts"
import { type ResumableClis, resumableClis } from "../conversations/ResumeLine.ts"
import type { Store } from "../conversations/store/Store.ts"
import type { Platform } from "../system/process/Platform.ts"
import type { AccessOf } from "./access/AccessOptions.ts"
import type { ChatDefaults } from "./ChatSettings.ts"
import type { OnToolSend } from "./delivery/payloadPieces.ts"
import {
  type CheckedGateway,
  checkGateway,
  type GatewayOptions,
  type GatewayProfile
} from "./gateway/GatewayOptions.ts"
import type { Deliver } from "./gateway/OwnDelivery.ts"
import { checkTranscribe, type Transcribe, type TranscribeCommand } from "./intake/Transcriber.ts"
import type { ProgressMode } from "./progress/render.ts"

/** Layers of `AgentRuntime`, by names that the application chooses. The store is that of the bridge. */
export type BridgeAgents = Readonly<Record<string, Layer.Layer<AgentRuntime, never, Platform | Store>>>

/** A directory where agents may work. People choose it by its name. */
export interface BridgeDirectory {
  /** Absolute. */
  readonly path: string
  /** The agent that works there. Default: that of the bridge. */
  readonly agent?: string | undefined
  /** Its model. Default: that of the agent. */
  readonly model?: string | undefined
  /** The permission mode of every agent there. Default: that of the agent. */
  readonly permissionMode?: PermissionMode | undefined
  /**
   * Each chat works here in a git worktree of its own, and `/changes` shows and applies its changes; `false`: in the directory
   * itself, also chats that have one. Default: only chats that have one already.
   */
  readonly worktree?: boolean | WorktreeOptions | undefined
}

/**
 * How a message affects a running turn. `steer`: the agent takes it up at its next step, if its CLI can (Claude Code,
 * Codex); otherwise as `queue`. `queue`: it is answered afterwards. `collect`: all waiting messages are answered
 * afterwards as one. `interrupt`: it ends the turn, and is answered.
 */
export type WhileBusy = "steer" | "queue" | "collect" | "interrupt"

/** Environment variables of an agent. */
export type Environment = NonNullable<AgentExecuteParams["env"]>

export interface BridgeOptions {
  /** Layers of `AgentRuntime`, by names of your own. */
  readonly agents: BridgeAgents
  /** The agent that answers unless a chat has chosen another. Default: the first. */
  readonly agent?: string | undefined
  /** CLIs of your own among the agents, whose resume lines are shown and followed as those that Reins knows. */
  readonly clis?: ReadonlyArray<OwnCli> | undefined
  /**
   * Environments of an agent, by its name, such as one for each account at its provider. The first is used; a turn that is
   * refused before any output (not signed in, no credit, too many requests) is retried once with each of the others, and
   * later turns start with the one that answered. Default: the agent's own.
   */
  readonly profiles?: { readonly [agent: string]: ReadonlyArray<Environment> } | undefined
  /** Where agents may work. Default: only the host's working directory. */
  readonly directories?: { readonly [name: string]: BridgeDirectory } | undefined
  /** The directory in which a chat works unless it has chosen another. Default: the host's working directory. */
  readonly directory?: string | undefined
  /** Live sessions, which ask before they act and can be steered; if false, each message is a run. Default: true. */
  readonly live?: boolean | undefined
  /** How long a live session stays open without a message. Default: 10 minutes. */
  readonly idle?: Input.DurationInput | undefined
  /**
   * `total`: how many conversations may have an agent open at once, live sessions between their turns included. Further
   * messages wait, and their senders are told so; for them, the least recently used live session is closed, and
   * resumed by its next message. Default: 10.
   */
  readonly limits?: { readonly total?: number | undefined } | undefined
  /** How a message affects a running turn. Default: `steer`. */
  readonly whileBusy?: WhileBusy | undefined
  /**
   * How to treat a turn whose host died while its agent was working: `fail` asks the people, `continue` asks the agent
   * to continue, `again` repeats the turn. Default: `fail`, since repeating may do work twice.
   */
  readonly onInterrupted?: OnInterrupted | undefined
  /**
   * How to treat a message of the bridge that may be missing, and that its channel cannot look up: `ask` asks the
   * people, who can have it shown; `again` sends it once more, with a mark. Default: `ask`.
   */
  readonly onUnknown?: "ask" | "again" | undefined
  /**
   * The approval rules for agents of served channels; requests are asked in the chat by buttons or numbers, and denied
   * after an hour. Default: reading and searching are allowed, people with the role `approver` are asked for everything
   * else. Not for runs (`live: false`), which cannot ask.
   */
  readonly approvals?: ReadonlyArray<ApprovalRule> | undefined
  /**
   * Progress message; `brief`: only start and end; `draft`: in drafts, which leave nothing behind, in direct chats of
   * channels that have them. Default, and elsewhere: `edit`, and `off` if the channel cannot edit messages.
   */
  readonly progress?: ProgressMode | undefined
  /**
   * Adds a line below an answer: agent, model, mode, time and cost, and the line that resumes the session, which the
   * progress message then omits. Not on channels that draw turns themselves. Default: false.
   */
  readonly footer?: boolean | undefined
  /** Tools of agents on served channels. Default: `reply`: messages, files and questions to their own chat. */
  readonly gateway?: GatewayProfile | GatewayOptions | undefined
  /**
   * How a message that the agent sent by a tool affects its answer: `equal` does not repeat equal texts in the same
   * chat; `silent` drops the answer after any message to its chat. Default: `equal`.
   */
  readonly onToolSend?: OnToolSend | undefined
  /**
   * Delivers a message that an agent sends by a tool, in conversations of `handle` that no bridge serves. A failure
   * other than a `SendError` means that it may have arrived. Default: agents have no such tools there.
   */
  readonly deliver?: Deliver | undefined
  /** Restarts the host, after `/restart` of an owner, once no agent works. Default: `/restart` is refused. */
  readonly onRestart?: (() => Input.Eventually<void>) | undefined
  /** People who may write; a function gives each account its own lists. Default: none, so no channel can be served. */
  readonly access?: AccessOf | undefined
  /** Initial settings of single chats, by their ids. Default: those of the bridge. */
  readonly chats?: { readonly [chatId: string]: ChatDefaults } | undefined
  /**
   * Shows a pairing code on the terminal of the host, and in no log: the first person who sends it to the account, in a
   * direct chat, within ten minutes, becomes an owner, also after a restart. Default: only listed people, and those who
   * were owners before.
   */
  readonly pair?:
    | ((code: string, account: { readonly channel: string; readonly accountId: string }) => Input.Eventually<void>)
    | undefined
  /**
   * Transcribes voice messages of served channels, within 2 minutes: a function from the path of the file to its text, or
   * a program that writes the text to its stdout. Default: people are asked to write.
   */
  readonly transcribe?: Transcribe | TranscribeCommand | undefined
  /** Length of a chunk of `onPartialReply`, in characters. Default: 4000. */
  readonly chunkLength?: number | undefined
}

type WithoutDefault = "directory" | "progress" | "approvals" | "deliver" | "onRestart" | "pair" | "transcribe"
type WithDefault = Exclude<keyof BridgeOptions, WithoutDefault | "idle" | "limits" | "gateway" | "clis">

/** Checked options, with defaults. */
export type CheckedOptions = { readonly [Name in WithDefault]: NonNullable<BridgeOptions[Name]> } & {
  readonly [Name in WithoutDefault]: BridgeOptions[Name]
} & {
  readonly idleMs: number
  readonly total: number
  readonly gateway: CheckedGateway
  readonly resumable: ResumableClis
}

const Directory = Schema.Struct({
  path: Schema.String,
  agent: Schema.optional(Schema.String),
  model: Schema.optional(Schema.String),
  permissionMode: Schema.optional(Schema.Literals(["default", "plan", "accept-edits", "bypass"])),
  worktree: Schema.optional(Schema.Union([Schema.Boolean, WorktreeOptions]))
})

const Chat = Schema.Struct({
  agent: Schema.optional(Schema.String),
  model: Schema.optional(Schema.String),
  permissionMode: Schema.optional(Schema.Literals(["default", "plan", "accept-edits", "bypass"])),
  effort: Schema.optional(Schema.String),
  directory: Schema.optional(Schema.String),
  planMode: Schema.optional(Schema.Literals(["off", "auto", "on"])),
  progress: Schema.optional(Schema.Literals(["edit", "draft", "brief", "off"]))
})

const parse = makeParser(
  Schema.Struct({
    chats: Schema.optional(Schema.Record(Schema.String, Chat)),
    agent: Schema.optional(Schema.String),
    directories: Schema.optional(Schema.Record(Schema.String, Directory)),
    directory: Schema.optional(Schema.String),
    live: Schema.optional(Schema.Boolean),
    idle: Schema.optional(Input.DurationInput),
    limits: Schema.optional(
      Schema.Struct({ total: Schema.optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))) })
    ),
    whileBusy: Schema.optional(Schema.Literals(["steer", "queue", "collect", "interrupt"])),
    onInterrupted: Schema.optional(Schema.Literals(["fail", "continue", "again"])),
    onUnknown: Schema.optional(Schema.Literals(["ask", "again"])),
    onToolSend: Schema.optional(Schema.Literals(["equal", "silent"])),
    progress: Schema.optional(Schema.Literals(["edit", "draft", "brief", "off"])),
    footer: Schema.optional(Schema.Boolean),
    chunkLength: Schema.optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
  }),
  "options"
)

/** The values may be secrets and must not appear in messages. */
const parseProfiles = makeParser(
  Schema.Struct({ profiles: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)) }),
  "options"
)

const unknown = (option: string, name: string, known: ReadonlyArray<string>) => {
  const near = suggestionFor(name, known)
  const hint = near === undefined ? ` is not one of ${known.join(", ")}` : ` is not known; did you mean "${near}"?`
  return Result.fail(new InvalidParams({ option, problem: `${JSON.stringify(name)}${hint}` }))
}

export const checkBridgeOptions = (input: BridgeOptions): Result.Result<CheckedOptions, InvalidParams> =>
  Result.gen(function* () {
    // Lists of people are checked by their channel, rules by the sessions.
    const {
      agents,
      access: _,
      approvals: __,
      gateway: ___,
      profiles = {},
      clis,
      deliver,
      onRestart,
      pair,
      transcribe,
      ...rest
    } = input
    yield* parse(rest)
    const names = Object.keys(agents ?? {})
    const [first] = names
    if (first === undefined) {
      return yield* Result.fail(new InvalidParams({ option: "agents", problem: "has no agent: give one by its name" }))
    }
    const { agent = first, directories = {}, directory, live = true, idle = "10 minutes", chunkLength = 4000 } = input
    const { total = 10 } = input.limits ?? {}
    const { whileBusy = "steer", onInterrupted = "fail", access = {}, approvals } = input
    const { onToolSend = "equal", onUnknown = "ask", progress, chats = {}, footer = false } = input
    const gateway = yield* checkGateway(input.gateway)
    yield* checkTranscribe(transcribe)
    const resumable = yield* Result.try({ try: () => resumableClis(clis), catch: (error) => error as InvalidParams })
    if (!names.includes(agent)) return yield* unknown("agent", agent, names)
    for (const [name, list] of Object.entries(profiles)) {
      if (!names.includes(name)) return yield* unknown("profiles", name, names)
      yield* parseProfiles({ profiles: list })
    }
    const places = Object.keys(directories)
    if (directory !== undefined && !places.includes(directory)) return yield* unknown("directory", directory, places)
    for (const [id, { agent: own, directory: place }] of Object.entries(chats)) {
      if (own !== undefined && !names.includes(own)) return yield* unknown(`chats.${id}.agent`, own, names)
      if (place !== undefined && !places.includes(place)) return yield* unknown(`chats.${id}.directory`, place, places)
    }
    for (const [name, { agent: own, path }] of Object.entries(directories)) {
      if (own !== undefined && !names.includes(own)) return yield* unknown(`directories.${name}.agent`, own, names)
      if (!path.startsWith("/") && !/^[A-Za-z]:[\\/]/.test(path)) {
        const option = `directories.${name}.path`
        return yield* Result.fail(new InvalidParams({ option, problem: "is not an absolute path" }))
      }
    }
    return {
      ...{ agents, agent, profiles, directories, directory, live, idleMs: Input.toMillis(idle), total, chunkLength },
      ...{ whileBusy, onInterrupted, onUnknown, access, chats, gateway, onToolSend, progress, footer },
      ...{ approvals, deliver, onRestart, pair, transcribe, resumable }
    }
  })
