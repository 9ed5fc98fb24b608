/** Positions of members in JSON with comments; pure. Edits leave the rest as it is; the last duplicate name counts. */
import { Option, Predicate } from "effect"

export interface Document {
  readonly text: string
  /** The text with its comments blanked out, at the same positions. */
  readonly plain: string
  /** Start of the outermost object. */
  readonly root: number
}

export interface Member {
  readonly name: string
  /** Start of its name. */
  readonly start: number
  readonly valueStart: number
  readonly end: number
}

const isSpace = (character: string | undefined) =>
  character === " " || character === "\n" || character === "\r" || character === "\t"

/** The first position from `at` on that is not a space. */
const skipSpace = (text: string, at: number): number => {
  let place = at
  while (isSpace(text[place])) place += 1
  return place
}

/** Start of the spaces before `at`. */
export const spaceBefore = (text: string, at: number): number => {
  let place = at
  while (isSpace(text[place - 1])) place -= 1
  return place
}

/** An unclosed one extends to the end of the text, so that the match is linear. */
const stringOrComment = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|$)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g

const isOpenComment = (token: string) => token.startsWith("/*") && (token.length < 4 || !token.endsWith("*/"))

/** Replaces comments by spaces; an unclosed one stays. */
export const blankComments = (text: string) =>
  text.replace(stringOrComment, (token) =>
    token.startsWith('"') || isOpenComment(token) ? token : token.replace(/[^\n]/g, " ")
  )

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** None when the text is not a JSON object. Comments are allowed, a trailing comma is not. */
export const readDocument = (text: string): Option.Option<Document> => {
  const plain = blankComments(text)
  return Option.map(Option.filter(parse(plain), Predicate.isReadonlyObject), () => ({
    text,
    plain,
    root: skipSpace(plain, 0)
  }))
}

const endOfString = (plain: string, start: number): number => {
  let place = start + 1
  while (plain[place] !== '"') place += plain[place] === "\\" ? 2 : 1
  return place + 1
}

const endOfValue = (plain: string, start: number): number => {
  let place = start
  let depth = 0
  while (true) {
    const character = plain[place]
    if (character === '"') place = endOfString(plain, place)
    else if (depth === 0 && (character === "," || character === "}" || character === "]" || isSpace(character))) break
    else {
      if (character === "{" || character === "[") depth += 1
      if (character === "}" || character === "]") depth -= 1
      place += 1
    }
    if (depth === 0 && /["}\]]/.test(plain[place - 1] ?? "")) break
  }
  return place
}

/** The members of the object that begins at `open`, in order. */
export const membersOf = ({ plain }: Document, open: number): ReadonlyArray<Member> => {
  const members: Array<Member> = []
  let place = skipSpace(plain, open + 1)
  while (plain[place] !== "}") {
    const nameEnd = endOfString(plain, place)
    const valueStart = skipSpace(plain, skipSpace(plain, nameEnd) + 1)
    const end = endOfValue(plain, valueStart)
    members.push({ name: JSON.parse(plain.slice(place, nameEnd)), start: place, valueStart, end })
    place = skipSpace(plain, end)
    if (plain[place] === ",") place = skipSpace(plain, place + 1)
  }
  return members
}
