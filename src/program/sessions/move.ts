/** `reins sessions move`: requests the move, and prints its progress and the new place. */
import { Console, Effect, Option } from "effect"
import type { MoveError } from "../../cluster/move/moveErrors.ts"
import { requestMove } from "../../cluster/move/requestMove.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import { SessionHistory } from "../../conversations/SessionHistory.ts"
import { Store } from "../../conversations/store/Store.ts"
import { failWith, sessionBusy } from "../exit.ts"
import { oneLine } from "../format.ts"
import { shownTitle } from "./cells.ts"
import { type Named, refOf } from "./perform.ts"

export interface MoveInput extends Named {
  readonly to: string
  readonly cwd: Option.Option<string>
}

const refuse = (error: MoveError) => failWith(error.message, error._tag === "SessionBusy" ? sessionBusy : 1)
const isMoveError = (error: MoveError | StoreError): error is MoveError => error._tag !== "StoreError"

export const move = Effect.fn(...untraced("Program.move"))(function* ({ to, cwd, ...name }: MoveInput) {
  const session = yield* (yield* SessionHistory).get(yield* refOf(name))
  if (session.id === undefined) {
    return yield* failWith("only sessions that are kept here can be moved: reins sessions adopt keeps it", 1)
  }
  const { home, directory } = yield* requestMove({
    store: yield* Store,
    id: session.id,
    to,
    directory: Option.getOrUndefined(cwd),
    onProgress: (words) => Console.error(`reins: ${oneLine(words)}`)
  }).pipe(Effect.catchIf(isMoveError, refuse))
  yield* Console.log(`${shownTitle(session)}: goes on at ${oneLine(home)}, in ${oneLine(directory)}`)
})
