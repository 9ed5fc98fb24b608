/**
 * Turns of one live session, one after the other; what is told is what each has said, as a hash over all. The processor
 * time is that of the turns: the first `warmUp` of them, and the opening, are before it.
 */
import { createHash } from "node:crypto"
import { measure, task } from "./measure.mjs"

/** @param {{ turn: (prompt: string) => Promise<string>, close: () => Promise<unknown> }} session */
export const measureTurns = async ({ turn, close }) => {
  for (let nth = 0; nth < (task.warmUp ?? 0); nth++) await turn(`warm ${nth}`)
  await measure(
    async () => {
      const hash = createHash("sha1")
      let characters = 0
      for (let nth = 0; nth < task.turns; nth++) {
        const text = await turn(`prompt ${nth}`)
        hash.update(text)
        characters += text.length
      }
      await close()
      return { text: hash.digest("hex"), characters }
    },
    (known) => known
  )
}
