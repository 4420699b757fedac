; A person walks, grabs, opens and switches: the actions of VirtualHome.
;
; Each precondition lists the simulator's checks in its order; the first false conjunct is the check that
; fails. Names are those of the scene graphs in lower case; the states OPEN, CLOSED, ON, OFF are is-open
; and so on, the relations ON, INSIDE, CLOSE, FACING are on-top, in, near, faces. class-knife is any class
; with "knife" in its name.
(define (domain virtualhome)
  (:requirements :adl :derived-predicates)
  (:constants character)
  (:predicates
    ; relations
    (on-top ?x ?y) (in ?x ?y) (between ?x ?y) (near ?x ?y) (faces ?x ?y) (holds-rh ?x ?y) (holds-lh ?x ?y)
    ; states
    (is-closed ?x) (is-open ?x) (is-on ?x) (is-off ?x) (sitting ?x) (lying ?x) (dirty ?x) (clean ?x)
    (plugged-in ?x) (plugged-out ?x)
    ; properties
    (grabbable ?x) (cuttable ?x) (can-open ?x) (readable ?x) (has-paper ?x) (movable ?x) (pourable ?x)
    (cream ?x) (has-switch ?x) (lookable ?x) (has-plug ?x) (drinkable ?x) (body-part ?x) (recipient ?x)
    (containers ?x) (cover-object ?x) (surfaces ?x) (sittable ?x) (lieable ?x) (person ?x) (hangable ?x)
    (clothes ?x) (eatable ?x) (room ?x)
    ; classes
    (class-bathtub ?x) (class-bed ?x) (class-bench ?x) (class-button ?x) (class-chair ?x) (class-check ?x)
    (class-child ?x) (class-cleaning_solution ?x) (class-couch ?x) (class-curtain ?x) (class-desk ?x)
    (class-dish_soap ?x) (class-face ?x) (class-food_lemon ?x) (class-food_peanut_butter ?x)
    (class-hands_both ?x) (class-keyboard ?x) (class-knife ?x) (class-loveseat ?x) (class-paper ?x)
    (class-pianobench ?x) (class-rag ?x) (class-shampoo ?x) (class-soap ?x) (class-sofa ?x)
    (class-sponge ?x) (class-tooth_paste ?x) (class-towel ?x) (class-water ?x) (class-window ?x)
    ; where a held thing was grabbed
    (taken ?x) (from-top ?x ?y) (from-inside ?x ?y) (from-beside ?x ?y)
    ; derived
    (at-hand ?n) (in-view ?n) (held ?n) (full-rh) (full-lh) (hand-free) (shut-in ?n) (in-room ?x ?r) (has-room ?n)
    (upright ?x) (supported ?x) (contained ?x) (in-several ?x) (origin-at-hand ?x) (seats-taken ?n) (beds-taken ?n)
    (squeezable ?n))

  ; within reach: near the character, or near or on something that is
  (:derived (at-hand ?n)
    (or (near character ?n)
        (exists (?m) (and (near character ?m) (near ?m ?n)))
        (exists (?m) (and (near character ?m) (on-top ?n ?m)))))
  (:derived (in-view ?n)
    (or (faces character ?n) (exists (?m) (and (faces character ?m) (faces ?m ?n)))))
  (:derived (held ?n) (or (holds-rh character ?n) (holds-lh character ?n)))
  (:derived (full-rh) (exists (?x) (holds-rh character ?x)))
  (:derived (full-lh) (exists (?x) (holds-lh character ?x)))
  (:derived (hand-free) (or (not (full-rh)) (not (full-lh))))
  (:derived (upright ?x) (and (not (sitting ?x)) (not (lying ?x))))
  (:derived (shut-in ?n) (exists (?c) (and (in ?n ?c) (is-closed ?c) (not (room ?c)))))
  ; a room is in itself; a thing is in the rooms that it is inside, or, if it has one container only, in the container's
  (:derived (in-room ?x ?r)
    (or (and (room ?r) (= ?x ?r))
        (and (in ?x ?r) (room ?r) (not (room ?x)))
        (and (not (room ?x))
             (not (in-several ?x))
             (exists (?c) (and (in ?x ?c) (not (room ?c)) (in-room ?c ?r))))))
  (:derived (in-several ?x) (exists (?c ?d) (and (in ?x ?c) (in ?x ?d) (not (= ?c ?d)))))
  (:derived (has-room ?n) (exists (?r) (and (room ?r) (in-room ?n ?r))))
  (:derived (supported ?x) (exists (?y) (and (on-top ?x ?y) (not (room ?y)))))
  (:derived (contained ?x) (exists (?y) (and (in ?x ?y) (not (room ?y)))))
  (:derived (origin-at-hand ?x)
    (exists (?y) (and (or (from-top ?x ?y) (from-inside ?x ?y) (from-beside ?x ?y)) (at-hand ?y))))
  ; as many things on it as there is room for people
  (:derived (seats-taken ?n)
    (or (and (or (class-loveseat ?n) (class-pianobench ?n) (class-bench ?n))
             (exists (?a ?b) (and (on-top ?a ?n) (on-top ?b ?n)
                                  (not (= ?a ?b)))))
        (and (or (class-couch ?n) (class-bed ?n) (class-sofa ?n))
             (exists (?a ?b ?c ?d) (and (on-top ?a ?n) (on-top ?b ?n) (on-top ?c ?n) (on-top ?d ?n)
                                  (not (= ?a ?b)) (not (= ?a ?c)) (not (= ?a ?d))
                                  (not (= ?b ?c)) (not (= ?b ?d)) (not (= ?c ?d)))))
        (and (not (class-loveseat ?n)) (not (class-pianobench ?n)) (not (class-bench ?n))
             (not (class-couch ?n)) (not (class-bed ?n)) (not (class-sofa ?n))
             (exists (?a) (on-top ?a ?n)))))
  (:derived (beds-taken ?n)
    (or (and (or (class-couch ?n) (class-bathtub ?n) (class-loveseat ?n) (class-sofa ?n))
             (exists (?a ?b) (and (on-top ?a ?n) (on-top ?b ?n)
                                  (not (= ?a ?b)))))
        (and (class-bed ?n)
             (exists (?a ?b ?c) (and (on-top ?a ?n) (on-top ?b ?n) (on-top ?c ?n)
                                  (not (= ?a ?b)) (not (= ?a ?c)) (not (= ?b ?c)))))
        (and (not (class-couch ?n)) (not (class-bathtub ?n)) (not (class-loveseat ?n))
             (not (class-sofa ?n)) (not (class-bed ?n))
             (exists (?a) (on-top ?a ?n)))))
  (:derived (squeezable ?n)
    (or (clothes ?n) (class-cleaning_solution ?n) (class-tooth_paste ?n) (class-shampoo ?n)
        (class-food_peanut_butter ?n) (class-dish_soap ?n) (class-soap ?n) (class-towel ?n) (class-rag ?n)
        (class-paper ?n) (class-sponge ?n) (class-food_lemon ?n) (class-check ?n)))

  (:action walk
    :parameters (?n)
    :precondition (and (upright character)
                       (has-room ?n))
    :effect (and
      ; nothing stays with the character but what it holds
      (forall (?x) (and (not (in character ?x)) (not (in ?x character)) (not (near character ?x))
                        (not (near ?x character)) (not (faces character ?x)) (not (faces ?x character))))
      (forall (?r) (when (and (room ?r) (in-room ?n ?r)) (in character ?r)))
      (when (not (room ?n)) (and (near character ?n) (near ?n character)))
      (forall (?c) (when (and (in ?n ?c) (not (room ?c)) (not (room ?n)))
          (and (near character ?c) (near ?c character))))
      (forall (?b) (when (and (body-part ?b) (not (room ?n)))
          (and (near character ?b) (near ?b character))))
      (forall (?o) (when (and (in ?o ?n) (can-open ?n) (not (held ?n)))
          (and (near character ?o) (near ?o character))))
      (forall (?s) (when (on-top ?n ?s) (and (near character ?s) (near ?s character))))
      ; what is held comes along; the benchmark leaves it inside the room that the character came from
      (forall (?h ?x) (when (held ?h)
          (and (not (in ?h ?x)) (not (in ?x ?h)) (not (near ?h ?x)) (not (near ?x ?h))
               (not (faces ?h ?x)) (not (faces ?x ?h)))))
      (forall (?h) (when (held ?h) (and (near character ?h) (near ?h character))))
      (forall (?h ?r) (when (and (held ?h) (room ?r) (in-room character ?r)) (in ?h ?r)))))

  (:action run
    :parameters (?n)
    :precondition (and (upright character)
                       (has-room ?n))
    :effect (and
      ; nothing stays with the character but what it holds
      (forall (?x) (and (not (in character ?x)) (not (in ?x character)) (not (near character ?x))
                        (not (near ?x character)) (not (faces character ?x)) (not (faces ?x character))))
      (forall (?r) (when (and (room ?r) (in-room ?n ?r)) (in character ?r)))
      (when (not (room ?n)) (and (near character ?n) (near ?n character)))
      (forall (?c) (when (and (in ?n ?c) (not (room ?c)) (not (room ?n)))
          (and (near character ?c) (near ?c character))))
      (forall (?b) (when (and (body-part ?b) (not (room ?n)))
          (and (near character ?b) (near ?b character))))
      (forall (?o) (when (and (in ?o ?n) (can-open ?n) (not (held ?n)))
          (and (near character ?o) (near ?o character))))
      (forall (?s) (when (on-top ?n ?s) (and (near character ?s) (near ?s character))))
      ; what is held comes along; the benchmark leaves it inside the room that the character came from
      (forall (?h ?x) (when (held ?h)
          (and (not (in ?h ?x)) (not (in ?x ?h)) (not (near ?h ?x)) (not (near ?x ?h))
               (not (faces ?h ?x)) (not (faces ?x ?h)))))
      (forall (?h) (when (held ?h) (and (near character ?h) (near ?h character))))
      (forall (?h ?r) (when (and (held ?h) (room ?r) (in-room character ?r)) (in ?h ?r)))))

  ; near things are turned to, others are walked to
  (:action find
    :parameters (?n)
    :precondition (and (imply (or (on-top ?n character) (body-part ?n)) (at-hand ?n))
                       (or (at-hand ?n) (upright character))
                       (or (at-hand ?n) (has-room ?n)))
    :effect (and
      (forall (?x) (when (at-hand ?n) (not (faces character ?x))))
      (when (at-hand ?n) (and (near character ?n) (near ?n character)))
      ; nothing stays with the character but what it holds
      (forall (?x) (when (not (at-hand ?n))
          (and (not (in character ?x)) (not (in ?x character)) (not (near character ?x))
               (not (near ?x character)) (not (faces character ?x)) (not (faces ?x character)))))
      (forall (?r) (when (and (not (at-hand ?n)) (room ?r) (in-room ?n ?r)) (in character ?r)))
      (when (and (not (at-hand ?n)) (not (room ?n))) (and (near character ?n) (near ?n character)))
      (forall (?c) (when (and (not (at-hand ?n)) (in ?n ?c) (not (room ?c)) (not (room ?n)))
          (and (near character ?c) (near ?c character))))
      (forall (?b) (when (and (not (at-hand ?n)) (body-part ?b) (not (room ?n)))
          (and (near character ?b) (near ?b character))))
      (forall (?o) (when (and (not (at-hand ?n)) (in ?o ?n) (can-open ?n) (not (held ?n)))
          (and (near character ?o) (near ?o character))))
      (forall (?s) (when (and (not (at-hand ?n)) (on-top ?n ?s)) (and (near character ?s) (near ?s character))))
      ; what is held comes along; the benchmark leaves it inside the room that the character came from
      (forall (?h ?x) (when (and (not (at-hand ?n)) (held ?h))
          (and (not (in ?h ?x)) (not (in ?x ?h)) (not (near ?h ?x)) (not (near ?x ?h))
               (not (faces ?h ?x)) (not (faces ?x ?h)))))
      (forall (?h) (when (and (not (at-hand ?n)) (held ?h)) (and (near character ?h) (near ?h character))))
      (forall (?h ?r) (when (and (not (at-hand ?n)) (held ?h) (room ?r) (in-room character ?r)) (in ?h ?r)))))

  (:action sit
    :parameters (?n)
    :precondition (and (at-hand ?n)
                       (not (sitting character))
                       (sittable ?n)
                       (not (seats-taken ?n)))
    :effect (and
      (on-top character ?n) (not (lying character)) (sitting character)
      (forall (?y) (when (faces ?n ?y) (faces character ?y)))))

  (:action lie
    :parameters (?n)
    :precondition (and (at-hand ?n)
                       (not (lying character))
                       (lieable ?n)
                       (not (beds-taken ?n)))
    :effect (and (on-top character ?n) (not (sitting character)) (lying character)))

  (:action standup
    :parameters ()
    :precondition (and (or (sitting character) (lying character)))
    :effect (and (not (sitting character)) (not (lying character))))

  (:action grab
    :parameters (?n)
    :precondition (and (or (grabbable ?n) (class-water ?n) (class-child ?n))
                       (not (taken ?n))
                       (at-hand ?n)
                       (not (shut-in ?n))
                       (hand-free))
    :effect (and
      (forall (?x) (and (not (on-top ?n ?x)) (not (on-top ?x ?n)) (not (in ?n ?x)) (not (in ?x ?n))
                        (not (near ?n ?x)) (not (near ?x ?n)) (not (holds-rh ?n ?x)) (not (holds-rh ?x ?n))
                        (not (holds-lh ?n ?x)) (not (holds-lh ?x ?n))))
      (near character ?n) (near ?n character)
      (when (not (full-rh)) (holds-rh character ?n))
      (when (full-rh) (holds-lh character ?n))
      (forall (?r) (when (and (room ?r) (in-room character ?r)) (in ?n ?r)))
      ; where it was grabbed from: the surfaces, else the containers, else the neighbours; the character stays near them
      (forall (?b) (when (and (on-top ?n ?b) (not (room ?b)))
          (and (from-top ?n ?b) (near character ?b) (near ?b character) (taken ?n))))
      (forall (?b) (when (and (in ?n ?b) (not (room ?b)) (not (supported ?n)))
          (and (from-inside ?n ?b) (near character ?b) (near ?b character) (taken ?n))))
      (forall (?b) (when (and (near ?n ?b) (not (room ?b)) (not (supported ?n)) (not (contained ?n)))
          (and (from-beside ?n ?b) (near character ?b) (near ?b character) (taken ?n))))))

  (:action putback
    :parameters (?a ?b)
    :precondition (and (held ?a)
                       (at-hand ?b))
    :effect (and
      (not (holds-rh character ?a)) (not (holds-lh character ?a))
      (near character ?b) (near ?b character) (near ?a ?b) (near ?b ?a) (on-top ?a ?b)
      (forall (?x) (and (not (from-top ?a ?x)) (not (from-inside ?a ?x)) (not (from-beside ?a ?x)))) (not (taken ?a))))

  (:action putin
    :parameters (?a ?b)
    :precondition (and (held ?a)
                       (at-hand ?b)
                       (imply (can-open ?b) (is-open ?b)))
    :effect (and
      (not (holds-rh character ?a)) (not (holds-lh character ?a))
      (near character ?b) (near ?b character) (near ?a ?b) (near ?b ?a) (in ?a ?b)
      (forall (?x) (and (not (from-top ?a ?x)) (not (from-inside ?a ?x)) (not (from-beside ?a ?x)))) (not (taken ?a))))

  (:action putobjback
    :parameters (?a)
    :precondition (and (taken ?a)
                       (held ?a)
                       (origin-at-hand ?a)
                       (forall (?b) (imply (and (from-inside ?a ?b) (can-open ?b)) (is-open ?b))))
    :effect (and
      (not (holds-rh character ?a)) (not (holds-lh character ?a))
      (forall (?b) (when (or (from-top ?a ?b) (from-inside ?a ?b) (from-beside ?a ?b))
          (and (near character ?b) (near ?b character) (near ?a ?b) (near ?b ?a))))
      (forall (?b) (when (from-top ?a ?b) (on-top ?a ?b)))
      (forall (?b) (when (from-inside ?a ?b) (in ?a ?b)))
      (forall (?x) (and (not (from-top ?a ?x)) (not (from-inside ?a ?x)) (not (from-beside ?a ?x)))) (not (taken ?a))))

  (:action open
    :parameters (?n)
    :precondition (and (or (can-open ?n) (class-desk ?n) (class-window ?n))
                       (at-hand ?n)
                       (hand-free)
                       (is-closed ?n)
                       (not (is-on ?n)))
    :effect (and (not (is-closed ?n)) (is-open ?n)))

  (:action close
    :parameters (?n)
    :precondition (and (or (can-open ?n) (class-desk ?n) (class-window ?n))
                       (at-hand ?n)
                       (is-open ?n))
    :effect (and (not (is-open ?n)) (is-closed ?n)))

  (:action switchon
    :parameters (?n)
    :precondition (and (has-switch ?n)
                       (at-hand ?n)
                       (is-off ?n)
                       (not (plugged-out ?n)))
    :effect (and (not (is-off ?n)) (is-on ?n)))

  (:action switchoff
    :parameters (?n)
    :precondition (and (has-switch ?n)
                       (at-hand ?n)
                       (is-on ?n))
    :effect (and (not (is-on ?n)) (is-off ?n)))

  (:action plugin
    :parameters (?n)
    :precondition (and (has-plug ?n)
                       (at-hand ?n)
                       (hand-free)
                       (plugged-out ?n))
    :effect (and (not (plugged-out ?n)) (plugged-in ?n)))

  (:action plugout
    :parameters (?n)
    :precondition (and (has-plug ?n)
                       (at-hand ?n)
                       (hand-free)
                       (plugged-in ?n))
    :effect (and (not (plugged-in ?n)) (plugged-out ?n)))

  (:action drink
    :parameters (?n)
    :precondition (and (or (drinkable ?n) (recipient ?n))
                       (held ?n))
    :effect ())

  (:action read
    :parameters (?n)
    :precondition (and (readable ?n)
                       (held ?n))
    :effect ())

  (:action eat
    :parameters (?n)
    :precondition (and (at-hand ?n)
                       (or (eatable ?n) (exists (?o) (and (on-top ?o ?n) (eatable ?o)))))
    :effect ())

  (:action cut
    :parameters (?n)
    :precondition (and (hand-free)
                       (at-hand ?n)
                       (eatable ?n)
                       (cuttable ?n)
                       (exists (?k) (and (held ?k) (class-knife ?k))))
    :effect ())

  (:action pour
    :parameters (?a ?b)
    :precondition (and (or (pourable ?a) (drinkable ?a))
                       (or (recipient ?b) (class-hands_both ?b) (class-sponge ?b) (class-face ?b))
                       (held ?a)
                       (at-hand ?b))
    :effect (and (in ?a ?b) (when (class-water ?a) (and (not (holds-rh character ?a)) (not (holds-lh character ?a))))))

  (:action turnto
    :parameters (?n)
    :effect (and (forall (?x) (not (faces character ?x))) (faces character ?n)))

  (:action lookat
    :parameters (?n)
    :precondition (and (in-view ?n))
    :effect ())

  (:action lookat_short
    :parameters (?n)
    :precondition (and (in-view ?n))
    :effect ())

  (:action lookat_medium
    :parameters (?n)
    :precondition (and (in-view ?n))
    :effect ())

  (:action lookat_long
    :parameters (?n)
    :precondition (and (in-view ?n))
    :effect ())

  (:action pointat
    :parameters (?n)
    :precondition (and (in-view ?n))
    :effect ())

  (:action watch
    :parameters (?n)
    :precondition (and (lookable ?n)
                       (exists (?r) (and (room ?r) (in-room ?n ?r) (in-room character ?r)))
                       (in-view ?n)
                       (not (shut-in ?n)))
    :effect ())

  (:action touch
    :parameters (?n)
    :precondition (and (at-hand ?n)
                       (not (shut-in ?n)))
    :effect ())

  (:action type
    :parameters (?n)
    :precondition (and (at-hand ?n)
                       (or (class-keyboard ?n) (has-switch ?n)))
    :effect ())

  (:action push
    :parameters (?n)
    :precondition (and (at-hand ?n)
                       (not (shut-in ?n))
                       (hand-free))
    :effect ())

  (:action pull
    :parameters (?n)
    :precondition (and (or (movable ?n) (class-button ?n) (class-chair ?n) (class-curtain ?n))
                       (at-hand ?n)
                       (not (shut-in ?n))
                       (hand-free))
    :effect ())

  (:action move
    :parameters (?n)
    :precondition (and (or (movable ?n) (class-button ?n) (class-chair ?n) (class-curtain ?n))
                       (at-hand ?n)
                       (not (shut-in ?n))
                       (hand-free))
    :effect ())

  (:action wash
    :parameters (?n)
    :precondition (and (at-hand ?n))
    :effect (and (not (dirty ?n)) (clean ?n)))

  (:action rinse
    :parameters (?n)
    :precondition (and (at-hand ?n))
    :effect (and (not (dirty ?n)) (clean ?n)))

  (:action scrub
    :parameters (?n)
    :precondition (and (at-hand ?n))
    :effect (and (not (dirty ?n)) (clean ?n)))

  (:action wipe
    :parameters (?n)
    :precondition (and (at-hand ?n)
                       (exists (?x) (held ?x)))
    :effect (and (not (dirty ?n)) (clean ?n)))

  (:action squeeze
    :parameters (?n)
    :precondition (and (hand-free)
                       (at-hand ?n)
                       (squeezable ?n))
    :effect ())

  (:action puton
    :parameters (?n)
    :precondition (and (held ?n)
                       (clothes ?n))
    :effect (and (on-top ?n character) (not (holds-rh character ?n)) (not (holds-lh character ?n))))

  (:action putoff
    :parameters (?n)
    :precondition (and (on-top ?n character)
                       (clothes ?n))
    :effect (not (on-top ?n character)))

  (:action drop
    :parameters (?n)
    :precondition (and (held ?n))
    :effect (and
      (not (holds-rh character ?n)) (not (holds-lh character ?n))
      (forall (?r) (when (and (room ?r) (in-room character ?r)) (in ?n ?r)))
      (forall (?x) (and (not (from-top ?n ?x)) (not (from-inside ?n ?x)) (not (from-beside ?n ?x)))) (not (taken ?n))))

  (:action release
    :parameters (?n)
    :precondition (and (held ?n))
    :effect (and
      (not (holds-rh character ?n)) (not (holds-lh character ?n))
      (forall (?r) (when (and (room ?r) (in-room character ?r)) (in ?n ?r)))
      (forall (?x) (and (not (from-top ?n ?x)) (not (from-inside ?n ?x)) (not (from-beside ?n ?x)))) (not (taken ?n))))

  (:action sleep
    :parameters ()
    :precondition (and (or (lying character) (sitting character)))
    :effect ())

  (:action wakeup
    :parameters ()
    :precondition (and (or (lying character) (sitting character)))
    :effect ())

  (:action greet
    :parameters (?n)
    :precondition (and (person ?n))
    :effect ())
)
