/** The files of a tool call, for the call and for the request about it: its locations, and the diffs of its content. */
import type { FileEdit } from "../../../contract/SessionEvent.ts"
import type { Files } from "../../fileTools.ts"
import { type Diff, diffsOf } from "../wire.ts"
import type { AcpCall } from "./flavor.ts"

/** The protocol sends whole files. */
const editOf = ({ path, oldText, newText }: Diff): FileEdit => ({
  path,
  ...(oldText == null || oldText === "" ? {} : { before: oldText }),
  after: newText ?? ""
})

export const filesOf = ({ paths: locations, content }: Pick<AcpCall, "paths" | "content">): Files => {
  const diffs = diffsOf(content)
  const paths = [...new Set([...locations, ...diffs.map(({ path }) => path)])]
  return { ...(paths.length === 0 ? {} : { paths }), ...(diffs.length === 0 ? {} : { edits: diffs.map(editOf) }) }
}
