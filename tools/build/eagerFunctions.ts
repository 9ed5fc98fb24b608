/**
 * Functions that V8 shall compile with their file. It compiles others when they are called: it reads them once to find
 * their end, and once more then. One in parentheses it takes for one that is called at once.
 */
import { parseSync, Visitor } from "rolldown/utils"

/** @param called Whether the function from this place to that one is called early. */
export const withEagerFunctions = (code: string, called: (from: number, to: number) => boolean): string => {
  const marks: Array<readonly [at: number, text: string]> = []
  const enclose = ({ start, end }: { readonly start: number; readonly end: number }) => {
    if (called(start, end)) marks.push([start, "("], [end, ")"])
  }
  const visitor = new Visitor({
    ArrowFunctionExpression: enclose,
    // A method's begins behind its name, and has no place for parentheses.
    FunctionExpression: (node) =>
      /^(?:async )?function\b/.test(code.slice(node.start, node.start + 16)) && enclose(node)
  })
  const { program, errors } = parseSync("chunk.js", code, { sourceType: "module" })
  if (errors[0] !== undefined) throw new Error(errors[0].message)
  visitor.visit(program)
  let from = 0
  const parts = marks
    .sort(([a], [b]) => a - b)
    .map(([at, text]) => {
      const part = code.slice(from, at) + text
      from = at
      return part
    })
  return parts.join("") + code.slice(from)
}
