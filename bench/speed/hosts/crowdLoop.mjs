/** A crowd of hand-written loops. */
import { measureCrowd } from "./crowd.mjs"
import { runLoop } from "./loopClaude.mjs"
import { task } from "./measure.mjs"

await measureCrowd((pipe, received) =>
  runLoop(task.command, {
    onMessage: ({ type, event }) => {
      if (type === "stream_event" && event.delta?.type === "text_delta") received(event.delta.text)
    },
    env: { REINS_BENCH_PIPE: pipe }
  })
)
