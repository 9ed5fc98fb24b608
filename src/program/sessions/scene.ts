/** Where the rows of sessions are shown, and when. */
import { homedir } from "node:os"
import { Clock, Effect, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import type { Scene } from "./table.ts"

export const currentScene = Effect.gen(function* () {
  const { canAnimate, canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const { columns } = yield* Terminal.Terminal
  const surface = { live: canAnimate && canColor, columns: yield* columns }
  const scene: Scene = { surface, now: yield* Clock.currentTimeMillis, home: homedir() }
  return scene
})
