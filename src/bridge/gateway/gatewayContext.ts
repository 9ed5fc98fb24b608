/** The context of one conversation's tools: where they write, for whom, and what they may reach. */
import type { Effect } from "effect"
import type { AccountJournal } from "../journal/Journal.ts"
import type { ScheduleRow } from "../journal/schedules.ts"
import type { Channel, ChannelLimits } from "../messages/Channel.ts"
import type { Conversation } from "../messages/Conversation.ts"
import type { GatewayProfile, GatewayRole } from "./GatewayOptions.ts"

/** How to write to an account of a channel. */
export interface Outlet {
  readonly journal: {
    readonly sends: Pick<AccountJournal["sends"], "put">
    readonly outbox: Pick<AccountJournal["outbox"], "put">
    readonly requests: Pick<AccountJournal["requests"], "put">
  }
  readonly render: Channel["render"]
  readonly limits: Pick<ChannelLimits, "uploadBytes" | "buttons">
  /** The directory, of this account alone, for copies of files until they are sent. */
  readonly copies: string
  /** To be run when something was put into the outbox. */
  readonly onPut: Effect.Effect<void>
}

/** A chat that the agent may write to, beside its own. */
export interface GatewayTarget {
  /** The agent calls the target by this name. */
  readonly name: string
  /** For the agent. Default: none. */
  readonly description?: string
  readonly conversation: Conversation
  /** Returns undefined if its account is not served now. */
  readonly outlet: () => Outlet | undefined
}

/** The turn in which a tool is called. */
export interface GatewayTurn {
  readonly id: string
  /** The person for whom the agent works. */
  readonly person: string
  readonly role: GatewayRole
}

export interface GatewaySchedules {
  readonly journal: AccountJournal["schedules"]
  /** Asks a person whether the schedule may run; `agree` or `remove` of the journal is the answer. */
  readonly ask: (schedule: AskedSchedule) => Effect.Effect<void>
  /** Zone of cron expressions and times without one, such as `Europe/Berlin`. */
  readonly zone: string
  /** Limit for a run, in US dollars. */
  readonly mostUsd: number
}

/** A schedule that no person has agreed to yet. */
export interface AskedSchedule extends Omit<ScheduleRow, "state" | "at" | "lastRun"> {
  /** The next times, in ms since 1970. */
  readonly next: ReadonlyArray<number>
}

export interface Gateway {
  readonly conversation: Conversation
  /** Read at each call: tools of live sessions outlive a turn. Undefined between turns. */
  readonly turn: () => GatewayTurn | undefined
  /** Decides which tools are listed; each call is checked by the role of its turn. */
  readonly role: GatewayRole
  /** Default: `reply`. */
  readonly profile?: GatewayProfile
  /** The working directory, read at each call: no file outside is sent. */
  readonly directory: Effect.Effect<string>
  readonly outlet: Outlet
  /** Default: none. */
  readonly targets?: ReadonlyArray<GatewayTarget>
  /** Default: no tools for schedules. */
  readonly schedules?: GatewaySchedules
  /** Default: `false`. */
  readonly aliases?: boolean
}
