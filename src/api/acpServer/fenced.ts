/** Text of others as a block of code; pure. A line feed at its end is no line of its own. */
import { fence } from "../../conversations/export/markdownText.ts"

export const fenced = (text: string): string => fence(text.replace(/\n$/, ""))
