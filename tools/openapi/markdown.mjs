// The part of Markdown that our descriptions use, as HTML: paragraphs, lists, tables, fenced code;
// **bold**, `code` and [links](address) inside them.

export const escape = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

// Marks within a line. `link` may turn a piece of code into an address; null leaves it as it is.
export function inline(text, link = () => null) {
  return text.split(/(`[^`]+`)/).map((part) => {
    if (!part.startsWith('`')) {
      return escape(part)
        .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
        .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>');
    }
    const code = part.slice(1, -1);
    const address = link(code);
    return address ? `<a href="${escape(address)}"><code>${escape(code)}</code></a>` : `<code>${escape(code)}</code>`;
  }).join('');
}

const cells = (line) => line.replace(/^\||\|$/g, '').split('|').map((cell) => cell.trim());

function table([head, , ...rows], link) {
  const row = (line, tag) => `<tr>${cells(line).map((cell) => `<${tag}>${inline(cell, link)}</${tag.split(' ')[0]}>`).join('')}</tr>`;
  return `<div class="scroll" tabindex="0"><table>\n<thead>${row(head, 'th scope="col"')}</thead>\n<tbody>\n${rows.map((line) => row(line, 'td')).join('\n')}\n</tbody>\n</table></div>`;
}

// The blocks of a text: runs of lines between empty ones; a fence keeps its empty lines.
function blocks(text) {
  const found = [];
  let open = null;
  let fenced = false;
  for (const line of text.trim().split('\n')) {
    if (line.startsWith('```')) {
      if (!fenced) found.push(open = []);
      fenced = !fenced;
    }
    if (line.trim() === '' && !fenced) {
      open = null;
      continue;
    }
    if (!open) found.push(open = []);
    open.push(line);
  }
  return found;
}

export function markdown(text, link) {
  return blocks(text ?? '').map((lines) => {
    if (lines[0].startsWith('```')) return `<pre tabindex="0"><code>${escape(lines.slice(1, -1).join('\n'))}</code></pre>`;
    if (lines[0].startsWith('|')) return table(lines, link);
    if (lines[0].startsWith('- ')) {
      const items = lines.join('\n').slice(2).split(/\n- /).map((item) => item.replace(/\s+/g, ' '));
      return `<ul>${items.map((item) => `<li>${inline(item, link)}</li>`).join('')}</ul>`;
    }
    return `<p>${inline(lines.join('\n'), link)}</p>`;
  }).join('\n');
}
