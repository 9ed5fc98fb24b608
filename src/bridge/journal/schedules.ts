/** Prompts for later: by a cron expression, or once. Each fires at most once a minute, however often it is checked. */
import { Clock, Effect } from "effect"
import { present } from "../../contract/present.ts"
import { countIn, textIn, wordIn } from "../../conversations/store/columns.ts"
import {
  type Conversation,
  conversationOfText,
  conversationText,
  isSameConversation
} from "../messages/Conversation.ts"
import { type Account, type ChangeError, readRows } from "./account.ts"

/** `asked`: no person has agreed yet. */
const scheduleStates = ["asked", "active", "done", "removed"] as const

export interface NewSchedule {
  readonly id: string
  readonly conversation: Conversation
  /** The turn in which it was added. */
  readonly turnId?: string
  /** The person for whom it runs; the role is looked up again when it fires. */
  readonly person: string
  readonly cron?: string
  /** In ms since 1970. */
  readonly runAt?: number
  readonly zone?: string
  readonly prompt: string
  /** Limit for each run, in US dollars, to the micro-dollar. */
  readonly budgetUsd?: number
}

export interface ScheduleRow extends NewSchedule {
  readonly state: (typeof scheduleStates)[number]
  /** The minute in which it fired last, in ms since 1970. */
  readonly lastRun?: number
  readonly at: number
}

const rowOf = (row: object): ScheduleRow | undefined => {
  const [id, person, prompt] = [textIn(row, "id"), textIn(row, "person"), textIn(row, "prompt")]
  const [state, at] = [wordIn(row, "state", scheduleStates), countIn(row, "at")]
  const conversation = conversationOfText(textIn(row, "conversation") ?? "")
  if (id === undefined || person === undefined || prompt === undefined || conversation === undefined) return undefined
  if (state === undefined || at === undefined) return undefined
  const [cron, zone, turnId] = [textIn(row, "cron"), textIn(row, "zone"), textIn(row, "turn_id")]
  const [runAt, lastRun] = [countIn(row, "run_at"), countIn(row, "last_run")]
  const micros = countIn(row, "budget")
  const budgetUsd = micros === undefined ? undefined : micros / 1e6
  return { id, conversation, person, prompt, state, at, ...present({ cron, zone, turnId, runAt, lastRun, budgetUsd }) }
}

const minuteMs = 60_000

export const makeSchedules = ({ channel, accountId: account, store: { sql }, mine, find, change, step }: Account) => {
  const move = (id: string, from: ReadonlyArray<string>, state: string) =>
    step(
      sql`update bridge_schedules set state = ${state} where ${mine} and id = ${id} and ${sql.in("state", from)} returning id`
    )
  return {
    put: ({ id, conversation, turnId, person, cron, runAt, zone, prompt, budgetUsd }: NewSchedule) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        const budget = budgetUsd === undefined ? null : Math.round(budgetUsd * 1e6)
        const own = { id, channel, account, conversation: conversationText(conversation), person, prompt, budget, at }
        const when = { cron: cron ?? null, run_at: runAt ?? null, zone: zone ?? null, turn_id: turnId ?? null }
        return change(
          Effect.asVoid(sql`insert into bridge_schedules ${sql.insert({ ...own, ...when, state: "asked" })}`)
        )
      }),
    /** Schedules in this state, of one conversation or of all. */
    list: (state: ScheduleRow["state"], conversation?: Conversation) =>
      find(
        sql<object>`select * from bridge_schedules where ${mine} and state = ${state} order by at, id`,
        (rows): ReadonlyArray<ScheduleRow> =>
          readRows(rowOf)(rows).filter(
            (row) => conversation === undefined || isSameConversation(row.conversation, conversation)
          )
      ),
    get: (id: string) =>
      find(sql<object>`select * from bridge_schedules where ${mine} and id = ${id}`, ([row]) =>
        row === undefined ? undefined : rowOf(row)
      ),
    /** For an owner who has agreed; returns false if the schedule no longer waits for that. */
    agree: (id: string) => move(id, ["asked"], "active"),
    remove: (id: string) => move(id, ["asked", "active"], "removed"),
    /** Marks it as run in this minute, and begins it in the same transaction. Returns false if it must not run. */
    fire: ({ id, cron }: ScheduleRow, at: number, begin: Effect.Effect<unknown, ChangeError> = Effect.void) => {
      const minute = Math.floor(at / minuteMs) * minuteMs
      const state = cron === undefined ? "done" : "active"
      return step(
        Effect.gen(function* () {
          const rows = yield* sql`update bridge_schedules set last_run = ${minute}, state = ${state} where ${mine}
            and id = ${id} and state = 'active' and (last_run is null or last_run < ${minute}) returning id`
          if (rows.length > 0) yield* begin
          return rows
        })
      )
    },
    /** Number of schedules that a turn has added. */
    addedBy: (turnId: string) =>
      find(
        sql<object>`select count(*) as count from bridge_schedules where ${mine} and turn_id = ${turnId}`,
        ([row = {}]) => countIn(row, "count") ?? 0
      )
  }
}
