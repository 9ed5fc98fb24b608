/** `--resume` with the beginning of an id, as `reins sessions` shows it → the session. */
import { Effect, Option } from "effect"
import { SessionHistory } from "../../conversations/SessionHistory.ts"
import type { StoreFlags } from "../database.ts"
import { withHistory } from "./history.ts"
import { refOf } from "./perform.ts"

/** Undefined if no session is known by it; an ambiguous beginning is refused with the candidates. */
export const sessionOfBeginning = (id: string, cli: string, { config }: Pick<StoreFlags, "config">) =>
  withHistory(
    { config, database: Option.none() },
    Effect.gen(function* () {
      const { get } = yield* SessionHistory
      return yield* get(yield* refOf({ id, cli: Option.some(cli) }))
    }).pipe(
      Effect.catchIf(
        ({ reason }) => reason._tag === "UnknownSession",
        () => Effect.succeed(undefined)
      )
    )
  )
