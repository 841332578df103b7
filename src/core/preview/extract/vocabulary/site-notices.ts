import { patterns } from './vocabulary.js';

/** Notices to readers with old browsers. */
export const BROWSER_NOTICES = patterns(
  {
    "you(?:r|['’]re| are)\\b[^.!?]{0,30}\\boutdated\\b[^.!?]{0,30}\\bbrowser":
      'You are using an outdated browser.',
    "you(?:r|['’]re| are)\\b[^.!?]{0,30}\\bunsupported\\b[^.!?]{0,30}\\bbrowser":
      'You’re using an unsupported web browser.',
    "you(?:r|['’]re| are)\\b[^.!?]{0,30}\\bold(?:er)?\\b[^.!?]{0,30}\\bbrowser":
      'You are using an older version of your browser.',
    'veralteten? (?:web)?browser': 'Sie verwenden einen veralteten Browser.',
    'browser (?:version )?(?:is|you are using is) (?:out of date|out-of-date|outdated)':
      'Your browser is out of date.',
    'browser (?:is|you are using is) (?:not|no longer) supported':
      'The browser you are using is not supported.',
    '(?:upgrade|update) your (?:web ?)?browser': 'Please upgrade your browser.',
    "your (?:web ?)?browser (?:does not|doesn['’]t|can(?:no|['’])t) (?:support|play|display)":
      'Your browser does not support the video tag.',
    'navigateur obsol': 'Votre navigateur obsolète ne peut pas afficher cette page.',
  },
  (phrases) => String.raw`(?<!\p{L})(?:${phrases})`,
);

/** Notices to readers without scripts. */
export const SCRIPT_NOTICES = patterns(
  {
    '(?:enable|turn on) (?:the use of )?java ?script': 'Please enable JavaScript to view this page.',
    'activate java ?script': 'Please activate JavaScript.',
    'allow (?:the use of )?java ?script': 'Please allow JavaScript.',
    'requires? (?:the use of )?java ?script': 'This site requires JavaScript.',
    'needs? java ?script': 'You need JavaScript to run this app.',
    'supports? java ?script': 'Use a browser that supports JavaScript.',
    'without java ?script': 'This page does not work without JavaScript.',
    'aktivieren sie java ?script': 'Bitte aktivieren Sie JavaScript.',
    'activer java ?script': 'Veuillez activer JavaScript.',
    'benötigt java ?script': 'Diese Seite benötigt JavaScript.',
    'java ?script (?:is|has been|seems to be|appears to be) disabled':
      'JavaScript is disabled in your browser.',
    'java ?script (?:is|must be) (?:enabled|required)': 'JavaScript must be enabled.',
    'java ?script is (?:not|turned off)': 'JavaScript is turned off.',
    'java ?script ist deaktiviert': 'JavaScript ist deaktiviert.',
    'java ?script est désactivé': 'JavaScript est désactivé.',
    'java ?script está desactivado': 'JavaScript está desactivado.',
    'javascriptを?有効': 'JavaScriptを有効にしてください。',
    '启用 ?javascript': '请启用JavaScript。',
  },
  (phrases) => String.raw`(?<![a-z])(?:${phrases})`,
);

/** Greetings of forums and links for readers who do not look. */
export const VISITOR_NOTICES = patterns(
  {
    '^(?:hello|hi|welcome|willkommen)[ ,!]{1,3}(?:guest|visitor|gast)\\b': 'Welcome, guest.',
    '\\byou are (?:not|currently not) logged in\\b': 'You are not logged in.',
    '\\bif this is your first visit, be sure to\\b':
      'If this is your first visit, be sure to check out the FAQ.',
    '^it is currently\\b': 'It is currently Sat Jun 1, 2024 10:20 am',
    '^the time now is\\b': 'The time now is 10:20.',
    '^(?:your )?last visit(?: was)?\\b': 'Last visit was: Sat Jun 1, 2024',
    '^current time\\b': 'Current time: 10:20',
    '^(?:skip|jump) to (?:the )?(?:main |page )?(?:content|navigation|main|menu|search)\\b':
      'Skip to main content',
    '^zum inhalt springen': 'Zum Inhalt springen',
    '^aller au contenu': 'Aller au contenu principal',
    '^(?:saltar|ir) al contenido': 'Saltar al contenido',
    '^you must (?:be logged in|log in|login|register)\\b': 'You must be logged in to reply.',
    '^(?:please )?(?:log ?in|sign in) (?:or|to) (?:register|sign up|create|continue|comment|post)\\b':
      'Log in or register to post comments',
  },
  (phrases) => phrases,
);

/** Lines at the foot of a page. */
export const RIGHTS_NOTICES = patterns(
  {
    '^©': '© 2024 Some company',
    '^\\(c\\)': '(c) 2024 Some company',
    '^copyright (?:©|\\(c\\)|(?:19|20)\\d\\d)': 'Copyright 2024 Some company',
    '\\ball rights reserved\\b': 'Some company. All rights reserved.',
    '\\balle rechte vorbehalten\\b': 'Alle Rechte vorbehalten.',
  },
  (phrases) => phrases,
);
