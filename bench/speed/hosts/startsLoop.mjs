/** Starts of the hand-written loop. The result is its `done`. */
import { runLoop } from "./loopClaude.mjs"
import { task } from "./measure.mjs"
import { measureStarts } from "./starts.mjs"

await measureStarts(({ event, done }) =>
  runLoop(task.command, {
    onMessage: (message) => {
      event()
      if (message.type === "result") done()
    },
    env: { REINS_BENCH_PIPE: task.pipe }
  })
)
