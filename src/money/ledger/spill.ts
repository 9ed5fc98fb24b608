/** Entries that the store could not take, until it can be written again. */
import { makeSpill } from "../../conversations/store/spill.ts"
import { Posting, post } from "./post.ts"

export const { writeOrKeep: postOrSpill, writeKept: postSpilled } = makeSpill({
  folder: "unwritten-usage",
  schema: Posting,
  subject: "the usage of a run",
  mostBytes: 4 * 1024 * 1024,
  write: post
})
