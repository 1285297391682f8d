/** Sets TypeScript for reading: comments, strings and keywords have elements of their own, all else is text. */

const parts = new RegExp([
  /(?<comment>\/\*[^]*?\*\/|\/\/.*)/,
  /(?<string>'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)/,
  /\/(?![*/ ])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/, // a regular expression, which may look like all of these
  /\b(?<keyword>as|async|await|break|case|catch|class|const|continue|declare|default|else|export|extends|finally|for|from|function|if|import|interface|in|let|new|of|private|public|readonly|return|satisfies|static|switch|this|throw|try|type|typeof|void|while|yield)\b/,
].map(({ source }) => source).join('|'), 'g');

export function highlight(source: string): Node[] {
  const nodes: Node[] = [];
  let end = 0;
  for (const match of source.matchAll(parts)) {
    const kind = Object.entries(match.groups!).find(([, text]) => text !== undefined)?.[0];
    if (kind === undefined) continue;
    const part = document.createElement('span');
    part.className = kind;
    part.textContent = match[0];
    nodes.push(document.createTextNode(source.slice(end, match.index)), part);
    end = match.index + match[0].length;
  }
  nodes.push(document.createTextNode(source.slice(end)));
  return nodes;
}
