/*
 * A bounded buffer in C, as a translator writes it: one statement a line, one
 * temporary for each subexpression, branches as gotos, mutexes as calls that
 * were expanded. Sizes: PRODUCERS, CONSUMERS, SIZE (of the buffer), ITEMS.
 */
#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifndef SIZE
#define SIZE 2
#endif
#ifndef ITEMS
#define ITEMS 3
#endif

int g_buf[SIZE];
int g_head;
int g_tail;
int g_count;
int g_sum;
int g_mutex;
int g_waiting_full;
int g_waiting_empty;
int g_done;

active [PRODUCERS] proctype f_producer()
{
  int v_i; int v_next; int v_slot; int v_old; int v_sum;
  int t_1; int t_2; int t_3; int t_4; int t_5; int t_6; int t_7; int t_8; int t_9;
L_0:
  v_i = 0;
  v_sum = 0;
  goto L_13;
L_1:
  /* pthread_mutex_lock(&mutex) */
  atomic { (g_mutex == 0); g_mutex = _pid + 1 };
L_2:
  t_1 = g_count;
  t_2 = (t_1 == SIZE);
  if
  :: (t_2 != 0) -> goto L_3
  :: (t_2 == 0) -> goto L_5
  fi;
L_3:
  /* pthread_cond_wait(&full, &mutex) */
  atomic { g_waiting_full = g_waiting_full + 1; g_mutex = 0 };
L_4:
  atomic { (g_waiting_full == 0 && g_mutex == 0); g_mutex = _pid + 1 };
  goto L_2;
L_5:
  t_1 = 0;
  t_2 = 0;
  v_slot = g_tail;
  t_3 = v_i * 2;
  t_4 = t_3 + 1;
  g_buf[v_slot] = t_4;
  t_5 = v_sum + t_4;
  v_sum = t_5;
  t_3 = 0;
  t_4 = 0;
  t_5 = 0;
  t_6 = v_slot + 1;
  t_7 = t_6 % SIZE;
  v_next = t_7;
  g_tail = v_next;
  t_6 = 0;
  t_7 = 0;
  v_slot = 0;
  v_next = 0;
  v_old = g_count;
  t_8 = v_old + 1;
  g_count = t_8;
  t_8 = 0;
  if
  :: (v_old == 0) -> goto L_6
  :: (v_old != 0) -> goto L_7
  fi;
L_6:
  /* pthread_cond_broadcast(&empty) */
  g_waiting_empty = 0;
L_7:
  v_old = 0;
  /* pthread_mutex_unlock(&mutex) */
  assert(g_mutex == _pid + 1);
  g_mutex = 0;
  t_9 = v_i + 1;
  v_i = t_9;
  t_9 = 0;
  goto L_13;
L_13:
  t_1 = (v_i < ITEMS);
  if
  :: (t_1 != 0) -> goto L_14
  :: (t_1 == 0) -> goto L_15
  fi;
L_14:
  t_1 = 0;
  goto L_1;
L_15:
  v_sum = 0;
  g_done = g_done + 1;
  goto L_99;
L_99:
  skip
}

active [CONSUMERS] proctype f_consumer()
{
  int v_value; int v_slot; int v_old; int v_acc;
  int u_1; int u_2; int u_3; int u_4; int u_5; int u_6;
M_0:
  v_acc = 0;
M_1:
  atomic { (g_mutex == 0); g_mutex = _pid + 1 };
M_2:
  u_1 = g_count;
  u_2 = (u_1 == 0);
  if
  :: (u_2 != 0) -> goto M_3
  :: (u_2 == 0) -> goto M_5
  fi;
M_3:
  atomic { g_waiting_empty = g_waiting_empty + 1; g_mutex = 0 };
end_M_4:
  atomic { (g_waiting_empty == 0 && g_mutex == 0); g_mutex = _pid + 1 };
  goto M_2;
M_5:
  u_1 = 0;
  u_2 = 0;
  v_slot = g_head;
  v_value = g_buf[v_slot];
  g_buf[v_slot] = 0;
  u_3 = v_slot + 1;
  u_4 = u_3 % SIZE;
  g_head = u_4;
  u_3 = 0;
  u_4 = 0;
  v_slot = 0;
  u_5 = v_value % 2;
  assert(u_5 == 1);
  u_5 = 0;
  v_acc = (v_acc + v_value) & 7;
  g_sum = v_acc;
  v_value = 0;
  v_old = g_count;
  u_6 = v_old - 1;
  g_count = u_6;
  u_6 = 0;
  if
  :: (v_old == SIZE) -> goto M_6
  :: (v_old != SIZE) -> goto M_7
  fi;
M_6:
  g_waiting_full = 0;
M_7:
  v_old = 0;
  assert(g_mutex == _pid + 1);
  g_mutex = 0;
  goto M_8;
M_8:
  goto end_M_9;
end_M_9:
  goto M_1
}
