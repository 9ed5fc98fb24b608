/** Ends of turns that the store could not take, until it can be written again. */
import { makeSpill } from "../store/spill.ts"
import { Settlement, writeSettlement } from "./settlement.ts"

export const { writeOrKeep: settleOrSpill, writeKept: writeSpilled } = makeSpill({
  folder: "unwritten",
  schema: Settlement,
  subject: "the end of a turn",
  // A result can be long.
  mostBytes: 64 * 1024 * 1024,
  write: writeSettlement
})
