/** Many runs at once, each as fast as it goes: how many came to their result. */
import { measure, task } from "./measure.mjs"

/** @param {() => Promise<string>} run */
export const measureRuns = (run) =>
  measure(
    () => Promise.all(Array.from({ length: task.runs }, run)),
    (reported) => ({ completed: reported.filter((outcome) => outcome === "success").length })
  )
