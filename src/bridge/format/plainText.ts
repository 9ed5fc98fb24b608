/** What a text says, without its marks; and whether two texts say the same. */
import { richText } from "./richText.ts"

/** As it is read aloud: without marks and the addresses of links. */
export const plainText = (markdown: string): string => richText(markdown).text

const folded = (text: string) => text.normalize("NFC").replace(/\s+/g, " ").trim()

/** Unit for unit: only the form of letters and the white space between words may differ. */
export const sameText = (a: string, b: string): boolean => folded(a) === folded(b)
