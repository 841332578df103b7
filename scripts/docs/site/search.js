// Searches the pages: the index is loaded when the field is first used.
(() => {
  const field = document.querySelector('input[type=search]');
  const found = document.getElementById('found');
  const { root } = document.body.dataset;
  let index = null;

  function load() {
    if (index !== null) return;
    index = new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = `${root}search-index.js`;
      script.addEventListener('load', () => {
        const options = { fields: ['title', 'text'], storeFields: ['title', 'page', 'url'] };
        resolve(MiniSearch.loadJSON(globalThis.searchIndex, options));
      });
      script.addEventListener('error', reject);
      document.head.append(script);
    });
  }

  async function search() {
    const words = field.value.trim();
    found.hidden = words === '';
    if (words === '') return;
    load();
    const loaded = await index;
    if (field.value.trim() !== words) return;
    const hits = loaded
      .search(words, { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { title: 3 } })
      .slice(0, 12);
    found.replaceChildren(...(hits.length === 0 ? [nothing(words)] : hits.map(link)));
  }

  function link({ url, title, page }) {
    const line = document.createElement('a');
    line.href = `${root}${url}`;
    const name = document.createElement('strong');
    name.textContent = title;
    const place = document.createElement('span');
    place.textContent = page === title ? '' : page;
    line.append(name, place);
    line.addEventListener('click', () => {
      found.hidden = true;
    });
    return line;
  }

  function nothing(words) {
    const line = document.createElement('p');
    line.textContent = `Nothing has “${words}”.`;
    return line;
  }

  field.addEventListener('focus', load);
  field.addEventListener('input', () => void search());
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      field.focus();
    } else if (event.key === 'Escape') {
      found.hidden = true;
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const lines = [...found.querySelectorAll('a')];
      if (found.hidden || lines.length === 0 || !event.target.closest('.search')) return;
      event.preventDefault();
      const at = lines.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
      (lines[at] ?? field).focus();
    }
  });
  document.addEventListener('click', ({ target }) => {
    if (!target.closest('.search')) found.hidden = true;
  });

  // On a narrow screen the list of pages is closed at first.
  if (matchMedia('(max-width: 800px)').matches) document.querySelector('.menu').open = false;
})();
